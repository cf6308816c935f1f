"""What is said about orders: addresses, release, dispatch, delivery, completion and cancellation."""

from __future__ import annotations

_DAY = "(monday|tuesday|wednesday|thursday|friday|saturday)"
_TAG = "(montag|dienstag|mittwoch|donnerstag|freitag|samstag)"
_GOODS = "(order|parcel|goods|shipment|delivery|banners|flyers)"
_WARE = "(bestellung|paket|ware|sendung|lieferung|banner|flyer)"

ADDRESS_CHANGED = (
    "(changed|updated|corrected|amended|swapped|replaced) ... address",
    "address ... (changed|updated|corrected|amended)",
    "# now (goes|is going) to",
    "(redirected|rerouted) ... (parcel|order|delivery|shipment|it)",
    "(parcel|order|delivery|shipment|it) ... (redirected|rerouted)",
    "(will|is going to) [now] (go|be delivered|be sent|be shipped) to [the|your|her|his|their] new address",
    "[now] (goes|is going) to (the|your|her|his|their) new address",
    "new [delivery] address (is|was|has been) [now|already] (saved|recorded|entered|noted|in place)",
    "(lieferadresse|adresse|anschrift|lieferanschrift) ... (geändert|angepasst|aktualisiert|korrigiert|umgestellt)",
    "(paket|sendung|lieferung|bestellung) ... umgeleitet",
    "(geht|gehen) [jetzt|nun|damit] an (die|ihre|deine) neue (adresse|anschrift)",
)
ADDRESS_KEPT = (
    "will not (go|be delivered|be sent|be shipped|be redirected) to",
    "won't (go|be delivered|be sent|be shipped|be redirected) to",
    "(will|does) [still] go to [the|your|her|his|their] old address",
    "(goes|is going) to (the|your|her|his|their) old address",
    "(can not|cannot|can't|could not|can no longer) (change|redirect|update|correct) ... (address|parcel|order)",
    "address ... (can not|cannot|can't|could not|can no longer) be [still] (changed|updated|corrected)",
    "address (was|has|is) not [been] [yet] (changed|updated)",
    "(have|has|did) not [yet] (changed|change|updated|update) ... address",
    "(delivery|address) ... (stays|remains) (unchanged|as it is|the same|the old one)",
    "(geht|gehen|wird) ... nicht an (die|ihre|deine) neue (adresse|anschrift)",
    "(adresse|anschrift) ... nicht [mehr] (geändert|angepasst|aktualisiert)",
    "(adresse|anschrift) bleibt ... (unverändert|gleich|die alte)",
)
ORDER_RELEASED = (
    "(i|we) [have] [now|also] released",
    "(is|are|was|has been|have been) [now|hereby] released",
    f"{_GOODS} ... (handed out|free for dispatch|ready to be collected)",
    f"(released|handed out) (the|your|their|this) {_GOODS}",
    f"(i|we) [have] let (the|your|their|this) {_GOODS} go [out]",
    f"{_WARE} ... (freigegeben|ausgehändigt)",
    "# (ist|wurde) (freigegeben|ausgehändigt)",
    "# (habe ich|haben wir) (freigegeben|ausgehändigt)",
)
ORDER_SHIPPED = (
    "(i|we) [have] [now|already] (shipped|dispatched|posted)",
    "(was|is|has been|were|have been) [already|now] (shipped|dispatched|posted)",
    f"{_GOODS} ... (left our house|with the carrier|left the house|left our warehouse)",
    f"(shipped|dispatched|posted) (the|your|their|this) {_GOODS}",
    f"{_WARE} ... (versandt|versendet|verschickt|abgeschickt)",
)
ORDER_ON_ITS_WAY = (
    f"{_GOODS} ... (on its way|on the way|in transit|on the road)",
    "(goods|banners|flyers) ... (on their way|in transit)",
    "(it|they) (is|are) [already|now|currently] (in transit|on its way to you|on the way to you)",
    f"{_WARE} ... (unterwegs|auf dem weg)",
)
ORDER_DELIVERED = (
    "(it|order|parcel|goods|shipment) ... (was|is|has been|have been) [now|already] delivered",
    "(they|banners|flyers) ... (were|are|have been) [now|already] delivered",
    f"{_GOODS} ... (arrived|reached you|was handed over to you|signed for)",
    f"(delivered) (the|your|their|this) {_GOODS}",
    "# (was|is|has been) delivered",
    "# [has] arrived",
    f"{_WARE} ... (zugestellt|geliefert|angekommen)",
)
DELIVERY_GUARANTEED = (
    "(guarantee*|promise*) ... will (have it|get it|arrive|be there|be delivered|reach you)",
    "[can|do|hereby] (guarantee*|promise*) ... (delivery|deliver|arrive|arrival|have it)",
    f"[can|do|hereby] (guarantee*|promise*) ... {_DAY}",
    "(delivery|arrival) ... (guaranteed|promised)",
    f"{_DAY} ... (guaranteed|promised)",
    "will (definitely|certainly|surely) ... (arrive|be there|be delivered|have it)",
    "you will have it (on|by)",
    "you (can|may) [count|rely] on ... (delivery|it|arrival)",
    "you have (my|our) word",
    "(garantieren|garantiere|zusagen|versprechen|verspreche) ... (lieferung|zustellung|ankunft)",
    f"(garantieren|garantiere|versprechen|verspreche) ... {_TAG}",
    "(lieferung|zustellung) ... (garantiert|zugesagt)",
    f"{_TAG} ... (garantiert|zugesagt)",
    "(kommt|ist) (sicher|garantiert|bestimmt) (am|bis)",
)
ORDER_COMPLETE = (
    "(order|delivery) ... (is|was|has been) [now|already] [fully|completely] (complete|fulfilled)",
    "(order|delivery) ... (is|was) [now|already] (fully|completely) (shipped|delivered|sent)",
    "(everything|all) [of] [it] (has been|was|is) (shipped|sent|delivered|with you)",
    "(everything|all) [of it] (has|have) (arrived|been shipped|been sent|been delivered)",
    "nothing [is] missing",
    "(bestellung|lieferung) ist [damit|nun|jetzt] (vollständig|komplett)",
    "(alles|vollständig|komplett) (geliefert|versandt|verschickt|angekommen)",
    "es fehlt nichts [mehr]",
)
ORDER_CANCELLED = (
    "(order|job|it) (was|is|has been) [now|already|hereby] (cancelled|canceled)",
    "(your|the|this) order ... (was|is|has been) [now|already|hereby] (cancelled|canceled)",
    "(i|we) [have] [now|already|hereby] (cancelled|canceled) [your|the|this] (order|job|it)",
    "(cancelled|canceled) (your|the|this|that) (order|job)",
    "(i|we) [have] (cancelled|canceled) [order] #",
    "# (was|is|has been) (cancelled|canceled)",
    "(cancellation) ... (is|was|has been) [now] (done|made|processed|complete|effective)",
    "(bestellung|auftrag) ... (storniert|annulliert)",
)
