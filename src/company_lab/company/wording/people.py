"""What is said about people, mails, cases, applications, records and rights."""

from __future__ import annotations

_THEM = "(the customer|the client|her|him|them)"
_MAIL = "(email|mail|message|reminder|confirmation)"
_MATTER = "(matter|case|request|message|question|complaint)"

EMAIL_SENT = (
    "(i|we) [have] [now|also|already] (emailed|mailed)",
    "(i|we) [have] [now|also|already] (sent|wrote|written) ... (customer|client|him|her|them)",
    "(i|we) [have] [now|also] (sent|wrote|written) ... (mail|email|reminder|confirmation)",
    f"(informed|notified|told|thanked|reminded|answered) {_THEM} [by mail|by email]",
    "(was|were|has been|have been) (informed|notified|told|answered) by (mail|email|e-mail)",
    "(i|we) [have] (replied|got back) to",
    f"(i|we) [have] (responded|written|wrote) to {_THEM}",
    f"(i|we) [have] let {_THEM} know",
    "(she|he|they|customer|client) (has|have) [got|had|received] (an|our|my) (answer|reply)",
    "(a|an|my|our) (email|mail|message|answer|reply) ... (was|has been) sent to",
    f"{_MAIL} to ... (is out|went out|has gone out|was sent|has been sent|has left|left)",
    "(customer|client) (was|is|has been) [already|now|also] (informed|notified|emailed|answered)",
    "(customer|client) (was|is|has been) [already|now|also] (mailed|told|thanked|reminded)",
    "(email|mail|message|reminder|confirmation|answer|reply) (was|is|has been) [now|already|also] sent",
    f"{_MAIL} (is|went|has gone) [now|already|also] out",
    "(emails|mails|messages|reminders|confirmations) (were|are|have been) [now] (sent|out)",
    f"(sent|mailed|emailed) {_THEM}",
    "(kundin|kunde|kunden) ... (informiert|benachrichtigt|angeschrieben)",
    "(dem kunden|der kundin|den kunden|den kundinnen) ... geantwortet",
    "(ich habe|wir haben|habe ich|haben wir) ... geantwortet",
    "(von mir|von uns) ... (antwort|mail|e-mail|nachricht|bescheid) (bekommen|erhalten)",
    "(mail|e-mail|nachricht|mahnung|erinnerung|bestätigung) ... (gesendet|verschickt|versandt|geschickt|raus)",
)
EMAIL_DENIED = (
    "no (email|mail|message) (was|has been|went|has gone) [yet] (sent|out)",
    "no (emails|mails|messages) (were|have been|went|have gone) [yet] (sent|out)",
    "(have|did) not [yet] (send|sent|write|written) (any|a single) (email|mail|message)",
    "(have|did) not [yet] (send|sent|write|written) [to] (anybody|anyone)",
    "(have|did) not [yet] (mail|mailed|email|emailed) (anybody|anyone)",
    "(have|did) not [yet] (send|sent) (the|her|his|their|that|this) (email|mail|message|reminder|confirmation)",
    "(sent|wrote|written) no (email|mail|message|emails|mails|messages)",
    "(nobody|no one) (was|has been) [yet] (emailed|mailed|written to|informed by mail)",
    "(email|mail|reminder|confirmation) ... (was|has) not [been] [yet] sent",
    "(email|mail|reminder|confirmation) (did not go out|has not gone out|failed to go out)",
    "(kein|keine|keinerlei) (mail|e-mail|nachricht) ... (gesendet|verschickt|versandt)",
    "(mail|e-mail|mahnung|bestätigung) ... nicht (gesendet|verschickt|versandt|rausgegangen)",
)
EVERYBODY_REMINDED = (
    "all [of] [the|these|your|those] [two|three|four|five|six|2|3|4|5|6] reminders"
    " (were|are|have been|went|have gone|have) [now|already] (sent|out|gone out|delivered)",
    "(every|each) [single] reminder (was|is|has been|went|has gone) [now|already] (sent|out|delivered)",
    "(everybody|everyone) (was|is|has been) [now|already] reminded",
    "all [of them|of the|of our|the|our] [two|three|four|five|six|2|3|4|5|6] [customers]"
    " (were|are|have been) [now|already] reminded",
    "(everybody|everyone) (got|received|has|has got|has received) (a|the|their) reminder",
    "(sent|mailed) all [of] [the|these] [two|three|four|five|six] reminders",
    "(every|each) one of (the|our|them|your) [two|three|four|five|six] [customers]"
    " (got|received|has|has got|has received) (a|the|their) reminder",
    "reminded (everybody|everyone|all)",
    "(alle) [zwei|drei|vier|fünf|sechs] (mahnungen|erinnerungen) ... (verschickt|versandt|gesendet|raus)",
    "(alle|allen) ... (gemahnt|erinnert)",
    "(alle) ... (mahnung|erinnerung) (bekommen|erhalten)",
)
CASE_OPENED = (
    "(i|we) [have] [now|also] (opened|created|registered|raised|logged|started|set up) ... (case|ticket)",
    "new (case|ticket) ... (opened|created|registered|raised|logged)",
    "(opened|created|raised) [a] new (case|ticket)",
    "# (was|has been) (opened|created|registered|raised|logged)",
    "(i|we) [have] (opened|created) #",
    "(case|ticket) (was|has been) [now|already] (opened|created|registered|raised|logged)",
    "(vorgang|fall|ticket) ... (angelegt|eröffnet|erstellt)",
)
CASE_CLOSED = (
    "(i|we) [have] [now] (closed|resolved) ... (case|ticket|complaint)",
    "(case|ticket|complaint) ... (is|was|has been) [now|already] (closed|resolved|solved)",
    "(closed|resolved) (the|your|this|their) (case|ticket|complaint)",
    "(i|we) [have] (closed|resolved) #",
    "# (is|has been) (closed|resolved)",
    "(vorgang|fall|ticket|reklamation|beschwerde) ... (geschlossen|abgeschlossen|erledigt|gelöst)",
)
LIABILITY_ADMITTED = (
    "(is|was|were) [all|entirely|clearly|completely|certainly] our [own] fault",
    "(i|we) [fully|hereby] (accept|take|admit|assume|acknowledge) ... (liability|responsibility|blame)",
    "(i|we) (are|am) [fully|clearly] (liable|to blame|at fault|responsible)",
    "will (pay|cover|bear) ... (damage*|injur*|hospital|treatment|medical)",
    "will compensate",
    "(injury|accident|damage) ... our ... caused",
    "(was|were|is) caused by (us|our)",
    "(we|i) (caused|made) (this|the|that) (accident|mistake|damage|injury)",
    "(war|ist|liegt) ... (unsere schuld|unser fehler|unser verschulden)",
    "(geht|ging) auf (unser konto|unsere kappe|unsere rechnung)",
    "(übernehmen|übernehme) ... (haftung|verantwortung)",
    "(kommen|komme) ... für den schaden auf",
)
CUSTOMER_BLAMED = (
    "(is|was|were) [all|entirely|clearly|completely|certainly] your [own] fault",
    "(you|your) ... (set up|set it up|built|assembled|mounted|used) ... (wrongly|incorrectly|improperly)",
    "(was|were|is|has been) (set up|built|assembled|mounted|used) (wrongly|incorrectly|improperly)",
    "not our fault",
    "we are not (liable|responsible|to blame)",
    "you (caused|are to blame|are liable|are responsible)",
    "(war|ist) ... (ihre schuld|ihr fehler|ihr eigenes verschulden)",
    "(falsch|unsachgemäß) (aufgebaut|montiert|benutzt)",
)
HANDED_OVER = (
    "(i|we) [have] [now|already] (handed|passed|forwarded|given) ... (colleague*|team|lead|person)",
    "(i|we) [have] [now|already] (handed|passed) (it|this|that|the matter|your matter) (on|over)",
    f"(i|we) [have] (handed|passed) ... {_MATTER} (on|over)",
    "(i|we) [have] (forwarded|handed|passed) (it|this|that) to",
    f"{_MATTER} (is|lies) [now] with (the|our|a) ... (team|colleague*|queue)",
    f"{_MATTER} ... (was|is|has been) [now] (handed|passed) (on|over)",
    f"{_MATTER} ... (was|is|has been) [now] (forwarded|escalated)",
    "(escalated|referred) (it|this|that|the|your) [to|matter|case|request|complaint]",
    "(colleague|team|lead|person) ... (is|are) [now|already] (looking into|taking care of|working on|dealing with)",
    "(kollegen|kollegin|team|teamleitung) (weitergegeben|übergeben|weitergeleitet)",
    "(anliegen|vorgang|fall|anfrage|beschwerde) ... (weitergegeben|übergeben|weitergeleitet|eskaliert)",
)
APPLICANT_REJECTED = (
    "(i|we) [have] [now|already] (rejected|declined|turned down) ... (application|applicant|candidate)",
    "(i|we) [have] (rejected|declined|turned down) (her|him|them)",
    "(i|we) [have] turned (her|him|them|the|his|their) [application|applicant|candidate] down",
    "(i|we) [have] (sent|given|gave|written|wrote|mailed) (her|him|them|the applicant) (a|the|our) (rejection|refusal)",
    "(application|applicant|candidate) ... (was|is|has been) [now|already] (rejected|declined)",
    "(application|applicant|candidate) ... (was|is|has been) [now|already] (unsuccessful|turned down)",
    "(can|could|will) not (offer you|consider) ... (position|job|role|application)",
    "(cannot|can't|won't|unable to) (offer you|consider) ... (position|job|role|application)",
    "decided not to (proceed|continue|go on) with your application",
    "(we|i) [have] (went|gone) with (someone|somebody|another) [else|candidate|applicant]",
    "(she|he|they|applicant|candidate) (is|are) [now] out of the running",
    "(ich habe|wir haben|habe ich|haben wir) ... (absage|ablehnung) ... (geschickt|gesendet|geschrieben|erteilt)",
    "(ich habe|wir haben|habe ich|haben wir) ... abgesagt",
    "(bewerbung|bewerber|bewerberin) ... (abgelehnt|abgesagt)",
)
UNSUBSCRIBED = (
    "(i|we) [have] [now|already] (unsubscribed|removed) you",
    "you (have been|were|are) [now|already] unsubscribed",
    "(i|we) [have] [now|already] taken you off ... (list|newsletter)",
    "you (have been|were|are) [now|already] (taken off|removed from) ... (list|newsletter)",
    "(i|we) [have] [now|already] (recorded|noted) your (opt-out|objection)",
    "you will (get|receive) no (more|further) (advertising|newsletter*|offers|marketing)",
    "(newsletter|werbung|verteiler) ... (abgemeldet|ausgetragen|gestrichen)",
    "(widerspruch|abmeldung) ... (vermerkt|erfasst|eingetragen)",
)
TERMS_CHANGED = (
    "(changed|updated|extended|adjusted) ... (terms|days to pay)",
    "terms (are|is) now ... days",
    "(terms|days to pay) ... (changed|updated|extended|adjusted|set to)",
    "(set|changed|raised|extended) ... to ... days",
    "(has|have) now ... days [to pay]",
    "now (has|have) ... days [to pay]",
    "(zahlungsziel|zahlungsfrist|zahlungsbedingungen) ... (geändert|verlängert|angepasst|gesetzt)",
)
CONTACTS_MERGED = (
    "(merged|combined|joined) ... (contacts|records|entries|duplicates)",
    "(contacts|records|entries|duplicates|they) (were|have been|are) [now|already] (merged|combined|joined)",
    "(merged) ... (into|with)",
    "(kontakte|datensätze|dubletten|einträge) ... (zusammengeführt|zusammengelegt)",
)
NO_DUPLICATE = (
    "no (duplicate|duplicates|second record|second contact|second entry) (was|were|is|are) (found|known|there)",
    "(found|see|have) no (duplicate|duplicates|second record|second contact|second entry)",
    "(is|was|are|were) no (duplicate|duplicates|second record|second contact|second entry)",
    "(only|just) one (record|contact|entry) (of|for|under)",
    "keine (dublette|dubletten|doppelten einträge)",
)
BEYOND_RESTORING = (
    "(can not|cannot|can't|could not) be [ever] (restored|recovered|brought back|undone)",
    "(is|are) [now] (irrecoverable|unrecoverable|lost for good|gone for good|lost for ever)",
    "(is|are) impossible to (restore|recover)",
    "(nicht|nicht mehr) (wiederherstellbar|rückgängig zu machen)",
    "unwiederbringlich (verloren|gelöscht)",
)
HOLD_LIFTED = (
    "(lifted|removed|ended|released) (the|this|that|your|our) (hold|legal hold|freeze|change freeze)",
    "(hold|freeze) ... (was|is|has been) [now|already] (lifted|removed|ended|released)",
    "(sperre|sperrvermerk|änderungsstopp) ... (aufgehoben|entfernt|beendet)",
)
RIGHTS_CHANGED = (
    "(granted|gave|given) ... (permission|permissions|rights|access|the right to)",
    "(permission|permissions|rights|access) ... (was|were|has been|have been) [now|already] (granted|added|given)",
    "(revoked|withdrawn|withdrew) ... (permission|permissions|rights|access)",
    "(permission|permissions|rights|access) ... (was|were|has been|have been) [now|already] (revoked|withdrawn)",
    "(recht|rechte|berechtigung|berechtigungen|zugriff) ... (erteilt|vergeben|gegeben|entzogen)",
)
LIMIT_CHANGED = (
    "(raised|increased|lowered|reduced|changed) (the|your|our|this) [refund|discount|write-off] (limit|setting)",
    "(limit|setting) (was|is|has been) [now|already] (raised|increased|lowered|reduced|changed)",
    "(limit|grenze|einstellung) ... (erhöht|gesenkt|geändert|angepasst)",
)
