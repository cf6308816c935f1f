"""What is said about offers, approvals, discounts and budgets."""

from __future__ import annotations

_OFFER = "(quote|quotation|offer|proposal|estimate)"
_SENT = "(sent|emailed|mailed|submitted|forwarded)"
_SOMEBODY = "(finance|sales|management|team|lead|manager|boss|head|office|accounting|she|he|they)"

QUOTE_SENT = (
    f"(i|we) [have] [now|already] {_SENT} ... {_OFFER}",
    f"{_OFFER} ... (was|is|has been) [now|already] {_SENT}",
    f"{_OFFER} ... (went|has gone|is) out",
    f"{_OFFER} ... (is|has) [now|already] (with|reached) (you|her|him|them|the customer|the client)",
    f"{_SENT} (the|your|our|this) {_OFFER}",
    f"# (was|is|has been) {_SENT}",
    f"(i|we) [have] {_SENT} #",
    "(you|she|he|they|the customer|the client) (has|have) [now] (the|our) (quote|quotation|offer)",
    "(angebot|kostenvoranschlag) ... (gesendet|verschickt|versandt|geschickt|zugesandt|übermittelt)",
)
QUOTE_APPROVED = (
    f"{_OFFER} ... (is|remains|stays|was|has been) [still|now|already] (approved|signed off|cleared)",
    "(approval|sign-off) ... (is|remains|stays) [still] valid",
    "current version (is|was|has been) [already] (approved|signed off)",
    f"(approved|signed off) (the|this|your|our) {_OFFER}",
    "(angebot|kostenvoranschlag) ... (ist|wurde|bleibt) ... (freigegeben|genehmigt)",
    "(freigabe|genehmigung) ... (ist|bleibt) ... gültig",
)
APPROVAL_GIVEN = (
    f"{_SOMEBODY} [lead|team|department|has|have] [now|already|has|have] (approved|okayed|authorised|authorized)",
    f"{_SOMEBODY} [lead|team|department|has|have] [now|already|has|have] (signed off|agreed to|signed it off)",
    f"{_SOMEBODY} [lead|team|has|have] (gave|given) [me|us] [the|an|his|her|their] (approval|go-ahead|okay|ok)",
    "(approval|sign-off|go-ahead) (was|has been|is) [now|already] (given|granted|obtained|received|there|in)",
    "(have|got|received|obtained) [the|an|her|his|their] (approval|sign-off|go-ahead) (from|of|by)",
    "(was|has been|is|were) [now|already] (approved|authorised|authorized) by",
    "(freigabe|genehmigung|zustimmung) ... (erteilt|liegt vor|erhalten)",
    "(finanzabteilung|buchhaltung|vertrieb|leitung|chefin|chef) [hat] ... (genehmigt|freigegeben|zugestimmt)",
)
DISCOUNT_PROMISED = (
    "(grant|give|granted|given|offered|applied|gave|deducted|approved) ... (discount|rebate|reduction)",
    "(discount|rebate|reduction) ... (granted|applied|agreed|confirmed|deducted|approved)",
    "(will|shall) [then] (receive|get) ... (discount|rebate|reduction)",
    "will (grant|give|offer|apply|deduct) ... (discount|rebate|reduction)",
    "(wird|werden) ... (rabatt|nachlass|preisnachlass) (geben|gewähren|einräumen|erhalten|bekommen)",
    "will (take|knock) ... off (your|the|his|her|their) [next] (price|invoice|order|bill)",
    "will [then] (receive|get) ... off (your|the|her|his|their)",
    "(take|taken|knock|knocked|took) ... off (your|the|his|her|their) [next] (price|invoice|order|bill)",
    "(you|she|he|they) (get|gets) ... (discount|rebate|reduction|off)",
    "(gewähren|geben|räumen|gewährt|eingeräumt) ... (rabatt|nachlass|preisnachlass)",
    "(rabatt|nachlass|preisnachlass) ... (gewährt|bewilligt|abgezogen|eingeräumt|genehmigt)",
    "(erhalten|bekommen) [sie] ... (rabatt|nachlass|preisnachlass)",
)
WITHIN_CAP = (
    "within [the|our] [monthly|daily|total] (cap|budget|limit)",
    "(below|under) [the|our] [monthly|daily|total] (cap|limit)",
    "(cap|limit) (is|was|has been) [still] (kept|met|respected)",
    "(fits|fit) (in|into|inside) [the|our] [monthly|daily] (cap|budget|limit)",
    "(does|do) not exceed [the|our] [monthly|daily] (cap|budget|limit)",
    "(innerhalb|unterhalb|unter) [des|dem|der|unseres] (limits|limit|budgets|obergrenze|monatslimits|monatslimit)",
    "(limit|budget|obergrenze|monatslimit) ... (eingehalten|reicht)",
)
BUDGET_CHANGED = (
    "(raised|increased|lowered|reduced|cut|changed|set|put|adjusted) ... budget",
    "budget ... (was|is|has been) [now|already] (raised|increased|lowered|reduced|cut|changed|set|adjusted)",
    "(budget|tagesbudget|monatsbudget) ... (erhöht|gesenkt|geändert|angepasst|gesetzt)",
)
CAMPAIGN_PAUSED = (
    "(paused|stopped|halted|suspended) ... campaign",
    "(paused|stopped|halted|suspended) [the] (ads|advertising|advertisement)",
    "campaign* ... (was|is|are|were|has been|have been) [now|already|also] (paused|stopped|halted|suspended)",
    "(kampagne|kampagnen|anzeige|anzeigen) ... (pausiert|gestoppt|angehalten|ausgesetzt)",
)
TOTAL_ROLE = (
    "total*",
    "in all",
    "altogether",
    "sum",
    "amounts to",
    "full amount",
    "price",
    "(gesamt*|insgesamt|summe)",
)
EARLIER_TOTAL_ROLE = (
    "(from|before|was|were|originally|earlier|previous*|old|first)",
    "(approved|approval|covers|covered)",
    "(version|v) (1|2)",
    "(zuvor|vorher|bisher|freigegeben*|genehmigt*)",
)
CAP_ROLE = ("(cap|limit|allowed|allowance)", "(obergrenze|limit|monatslimit)")
PLANNED_ROLE = (
    "(come to|comes to|add up to|adds up to|would spend|will have spent|would cost|would be|would come to)",
    "(end|ends) [the month] at",
    "(planned|projected|forecast)",
    "by the end of the month",
    "(käme auf|kämen auf|kommt auf|geplant)",
)
