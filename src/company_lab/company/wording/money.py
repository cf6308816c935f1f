"""What is said about money: debts, payments, refunds, credit, bills and accounts."""

from __future__ import annotations

SETTLED = (
    "(is|are|was|has been|stands|now|fully|completely|been) [now|fully|completely] settled",
    "(is|was|has been|are) [now] (fully|completely|entirely) paid",
    "paid (in full|up|off)",
    "(invoice|bill) ... (is|was|has been) [now|already] paid",
    "(marked|recorded|closed|booked) ... as [fully] (paid|settled)",
    "(account|balance|invoice|bill|debt) ... (cleared|balanced|squared)",
    "(invoice|bill) ... (is|was|has been) [now] closed",
    "(balance|amount) ... (is|now|of) (zero|nil)",
    "zero balance",
    "nothing [is|remains|more|left|further] (open|outstanding|due|owed|to pay)",
    "nothing [further|more|else] is [left] (open|outstanding|due|owed|to pay)",
    "nothing [left|more|else] [for] (you|her|him|them) to pay",
    "no (balance|amount|further amount|further payment|payment) [is|remains] (open|due|needed|outstanding)",
    "owe [us] nothing",
    "no longer (owe|owes) [us] [anything]",
    "(closed|settled|cleared|squared) (the|your|their|this) (account|balance|invoice|bill|debt)",
    "(received|have|got) [the|your] full (payment|amount)",
    "(we|you|they) are [now|all] (square|even|quits)",
    "in full settlement",
    "(ist|sind|wurde|wurden) ... (beglichen|ausgeglichen)",
    "(vollständig|komplett|ganz|voll) (bezahlt|beglichen|gezahlt|ausgeglichen)",
    "(rechnung|betrag|projekt|konto) ... (ist|wurde) ... bezahlt",
    "(rechnung|konto) (ist|wurde) ... (abgeschlossen|erledigt)",
    "nichts [mehr] (offen|zu zahlen|zu bezahlen)",
    "(kein|keine) (betrag|restbetrag|weitere zahlung|forderung) [ist|mehr] (offen|nötig|fällig|erforderlich)",
    "(schulden|schuldest|schuldet) [sie|uns] [uns] nichts [mehr]",
    "saldo ... (null|ausgeglichen)",
)
REFUND_MADE = (
    "(refunded|reimbursed|repaid)",
    "(refund|reimbursement) ... (was|is|has been) [now|already] (made|issued|processed|sent|executed)",
    "(refund|reimbursement) ... (was|is|has been) [now|already] (completed|done|paid out|credited)",
    "(refund|reimbursement) ... (went through|gone through|succeeded|is on its way|went out|has gone out)",
    "(issued|processed|completed|executed|made|sent) [you] [a|the|your|this|that] [full] (refund|reimbursement)",
    "(paid|sent|transferred|returned) ... back to (you|your|the|his|her|their)",
    "(money|amount) (is|was|has been) [now|already] (returned|sent back|paid back|back on)",
    "returned to (your|the|his|her|their) (card|account)",
    "(paid|sent|gave|given) (you|her|him|them) ... back",
    "(you|she|he|they) (have|has) got (your|her|his|their) money back",
    "credited ... to (your|the|his|her|their) (card|account)",
    "refund issued",
    "(erstattet|rückerstattet|zurückerstattet|zurückgezahlt|zurücküberwiesen|zurückgebucht)",
    "(rückerstattung|erstattung|rückzahlung) ... (veranlasst|ausgeführt|erfolgt|angewiesen|gebucht|durchgeführt)",
    "(geld|betrag) ... zurück (überwiesen|gezahlt|gebucht)",
)
REFUND_DENIED = (
    "(was|were|is|has|have|had|did|could) not [yet] [been|be] (refund|refunded|reimburse|reimbursed|repaid)",
    "(wasn't|weren't|hasn't|haven't|didn't|couldn't) [yet] [been|be] (refund|refunded|reimbursed|repaid)",
    "(refund|reimbursement) (was|has|could) not [been|be] (made|issued|processed|executed|completed)",
    "(refund|reimbursement) (wasn't|hasn't|couldn't) [been|be] (made|issued|processed|executed|completed)",
    "(refund|reimbursement) [has] (failed|did not go through|didn't go through|not gone through)",
    "no (refund|reimbursement) (was|has been) [yet] (made|issued|processed|executed|completed)",
    "(nothing|no money) (was|has been) [yet] (refunded|reimbursed|repaid|paid back|sent back)",
    "nothing (was|has been) done",
    "nicht (erstattet|rückerstattet|zurückerstattet|zurückgezahlt|zurücküberwiesen)",
    "(keine|keinerlei) (erstattung|rückerstattung|rückzahlung) (veranlasst|ausgeführt|erfolgt)",
)
REFUND_PROMISED = (
    "will [be] (refund|refunded|reimburse|reimbursed|repay|repaid)",
    "will (receive|get|see) ... (refund|money back|reimbursement)",
    "will (send|pay|transfer|give|return) ... back",
    "will (issue|make|process|arrange) ... (refund|reimbursement)",
    "(refund|reimbursement) ... will be (made|issued|processed|paid|sent)",
    "(we'll|i'll) ... (refund|reimburse|repay)",
    "(promise|guarantee|assure) ... (refund|money back|reimbursement)",
    "(are|am) going to (refund|reimburse|repay)",
    "(werden|wird) ... (erstatten|rückerstatten|zurückerstatten|zurückzahlen|zurücküberweisen)",
    "(wird|werden) ... (erstattet|rückerstattet|zurückerstattet|zurückgezahlt|zurücküberwiesen)",
    "(erhalten|bekommen) [sie] ... (geld|betrag|erstattung) ... zurück",
    "(erhalten|bekommen) [sie] ... (rückerstattung|erstattung)",
)
PAYMENT_RECEIVED = (
    "(received|got) [your|the|a] [full|first|second] (payment|transfer|deposit)",
    "(payment|transfer|deposit|money) ... (was|has been|is|were|have been) [now|safely] (received|booked|credited)",
    "(payment|transfer|deposit|money) ... (arrived|came in|come in|reached us|is here|has landed)",
    "(thank you|thanks) for [your|the] [prompt|quick] (payment|transfer|deposit)",
    "(we|i) [have] [now] received ... (eur|chf|usd|gbp|jpy|cad|euro|euros|francs|dollars)",
    "(eur|chf|usd|gbp|euro|euros|francs) [have|has] [now] (arrived|come in|came in|been received|reached us)",
    "(zahlung|überweisung|anzahlung|betrag|geld) ... (eingegangen|angekommen|verbucht|gebucht|eingetroffen)",
    "(danke|dank) für (ihre|die|deine) [rasche|schnelle|prompte] (zahlung|überweisung|anzahlung)",
    "haben ... (zahlung|überweisung|anzahlung) ... erhalten",
    "haben ... (eur|chf|euro|franken) ... erhalten",
)
NOT_PAID = (
    "(has|have) not [yet] paid",
    "(did|does) not pay",
    "(hasn't|haven't|didn't) [yet] (paid|pay)",
    "(never|nothing) ... paid",
    "no payment (has|was) [been] (made|received)",
    "(we|i) [have] (received|got) (nothing|no payment)",
    "failed to pay",
    "(is|are|remains|still) unpaid",
    "(hat|haben) ... nicht (bezahlt|gezahlt)",
    "(keine|kein) (zahlung|geld) ... (eingegangen|erhalten)",
    "(ist|bleibt) [noch|weiterhin] unbezahlt",
)
CREDIT_GIVEN = (
    "(issued|written|wrote|created|booked|sent|made) ... credit note",
    "(issued|granted|given|gave) [you|her|him|them] (a|the|your|her|his|their) credit (of|for|over|on)",
    "credit note ... (was|is|has been) [now|already] (issued|written|created|sent|booked)",
    "credit of ... (was|is|has been) [now|already] (issued|booked|granted|recorded|added)",
    "(recorded|booked|put|added) ... (as|to) (your|the|her|his|their|a) credit",
    "gutschrift ... (erstellt|ausgestellt|verbucht|gebucht|angelegt|erteilt|geschrieben)",
    "als guthaben (verbucht|gebucht|gutgeschrieben)",
)
WRITTEN_OFF = (
    "(written|wrote) off",
    "(written|wrote) (it|them|this|that|the rest|the difference|the balance|the cent) off",
    "(waived|forgiven) [the|your|their] (rest|remaining*|balance|difference|debt|remainder)",
    "(rest|remainder|difference|balance) (was|is|has been) [now|already] (waived|forgiven)",
    "(ausgebucht|abgeschrieben)",
    "(rest|restbetrag|differenz) ... erlassen",
)
CHARGE_MADE = (
    "(charged|debited) [your|the|their|his|her] [credit] card",
    "[credit] card (was|has been|is) [now|already] (charged|debited)",
    "(charge|debit) ... (went through|gone through|succeeded|was made|has been made|is through)",
    "(charged|debited) ... (eur|chf|usd|gbp|jpy|kwd|euro|euros)",
    "(karte|kreditkarte|konto) ... belastet",
    "(abgebucht|eingezogen)",
)
CHARGE_DENIED = (
    "card (was|has) not [been] [yet] (charged|debited)",
    "card (wasn't|hasn't) [been] [yet] (charged|debited)",
    "(did|have|could) not [yet] (charge|charged|debit|debited) ... card",
    "(didn't|haven't|couldn't) [yet] (charge|charged|debit|debited) ... card",
    "(charge|debit) [has] (failed|did not go through|didn't go through|not gone through)",
    "(nothing|no money) (was|has been) [yet] (charged|debited)",
    "nothing (was|has been) done",
    "nicht (belastet|abgebucht|eingezogen)",
)
BILL_DENIED = (
    "(bill|supplier) ... (was|has) not [been] [yet] paid",
    "(bill|supplier) (wasn't|hasn't) [been] [yet] paid",
    "(did|have|could) not [yet] (pay|paid) ... (bill|supplier)",
    "(didn't|haven't|couldn't) [yet] (pay|paid) ... (bill|supplier)",
    "(transfer|payment) [has] (failed|did not go through|didn't go through|not gone through)",
    "no (transfer|payment) (was|has been) [yet] (sent|made|executed|instructed)",
    "nothing (was|has been) [yet] (paid|transferred|done)",
    "nicht (bezahlt|überwiesen|beglichen)",
)
BILL_PAID = (
    "(i|we) [have] [now|already] paid ... bill",
    "(paid|settled|transferred) (the|their|this|that|his|her) bill",
    "(bill|supplier) ... (was|is|has been) [now|already] paid",
    "(transfer|payment) ... (was|is|has been) [now|already] (sent|made|executed|instructed)",
    "transfer ... (went out|has gone out|is on its way to|is out)",
    "(money|amount) ... (was|has been) [now|already] transferred",
    "(i|we) [have] [now|already] transferred",
    "(lieferantenrechnung|eingangsrechnung) ... (bezahlt|überwiesen|beglichen)",
    "(überweisung|zahlung) ... (ausgeführt|veranlasst|angewiesen|raus)",
    "(betrag|geld) ... überwiesen",
)
ACCOUNT_CHANGED = (
    "(bank|account) (details|data) ... (updated|changed|replaced|corrected)",
    "(iban|account) ... (is|was|has been) [now] (updated|changed|replaced)",
    "(updated|changed|replaced|corrected) ... (bank details|account details|iban|bank account)",
    "new (account|iban|bank details) (is|are|was|were) [now] (on file|saved|stored|entered|recorded)",
    "new (account|iban|bank details) (has been|have been) [now] (saved|stored|entered|recorded)",
    "(put|saved|stored|entered|recorded) ... new (account|iban|bank details)",
    "(bankverbindung|kontodaten|bankdaten|iban|konto) ... (geändert|aktualisiert|hinterlegt|übernommen)",
)
OPEN_BALANCE_ROLE = (
    "(open|outstanding|remaining|unpaid|due|owing|missing)",
    "(remain*|left|balance|rest|owe|owes|owed)",
    "still (open|due|to pay|missing|owe)",
    "to be paid",
    "(offen*|ausstehend*|restbetrag|restlich*|fällig*)",
)
RECEIVED_ROLE = (
    "(receive*|got|arrived|came|come in|booked|credited|paid|sent|brought|transferred)",
    "(payment|transfer|deposit) (of|over|for)",
    "(your|the|a) [part|partial|first] payment",
    "(erhalten|eingegangen|verbucht|bezahlt|gezahlt)",
    "(ihre|die) (zahlung|anzahlung|überweisung)",
)
CHARGED_ROLE = (
    "(charge*|debit*)",
    "(taken|took) from [your|the|her] card",
    "(belastet|abgebucht|eingezogen)",
)
REFUND_ROLE = (
    "(refund*|reimburse*|repay|repaid)",
    "(paid|sent|given|money|amount) back",
    "return* to your card",
    "(erstatt*|rückerstatt*|zurückgezahlt|zurücküberwiesen)",
)
