"""Lists of names that clones draw from, and words that name nobody."""

from __future__ import annotations

_WOMEN = (
    "Agnes Alva Anouk Berta Birgit Bodil Carla Clara Cora Dagny Dora Dunja Edda Elin Esther Fenja "
    "Flora Frida Gerda Gesa Greta Hanna Hedda Helga Ines Inga Irene Jana Judith Jule Karla Katja "
    "Klara Lea Linn Luise Malin Marta Mona Nadja Nele Nina Olga Orla Oda Paula Petra Pia Quinta "
    "Queenie Rahel Ruth Ronja Selma Silke Svea Tilda Tora Thea Ulla Ursel Uta Vilma Vera Viola "
    "Wanda Wiebke Willa Xenia Xandra Ylva Yara Yasmin Zelda Zita Zora "
)
WOMEN = tuple(_WOMEN.split())
"""First names of women."""

_MEN = (
    "Anton Arne Axel Bjarne Boris Bruno Carl Cornel Cyril Dario Detlef Dirk Edgar Enno Erik Falk "
    "Felix Finn Gregor Gustav Georg Hannes Henrik Hugo Ingo Ilja Ivar Janne Jasper Jonas Kaspar "
    "Klaas Kurt Lars Leif Lorenz Magnus Mats Moritz Nils Norbert Nico Olaf Oskar Otto Paul Peer "
    "Piet Quentin Quirin Ralf Ruben Rune Sven Stefan Theo Till Tomas Udo Ulf Urs Valentin Veit "
    "Viktor Walter Werner Wim Xaver Xeno Yannik Yorick Yves Zeno Zacharias Zoltan "
)
MEN = tuple(_MEN.split())
"""First names of men."""

_FAMILIES = (
    "Adler Ahrens Arnim Albers Bachmann Berger Brandes Bruhn Carstens Claasen Conrads Cramer Dahlke "
    "Deichmann Dierks Dornbusch Eggers Ehlers Engel Esser Falkner Feddersen Frings Fabian Gaden "
    "Gerlach Grothe Gundlach Hagen Harms Hinrichs Husum Imhof Isermann Ihde Iversen Jansen Jessen "
    "Jordan Kaminski Kessler Kolbe Lange Lindner Lorenzen Mertens Mohr Mundt Nagel Neumann Nissen "
    "Nolte Oehler Ohlsen Osterkamp Overbeck Peters Pohl Prange Pahl Quast Quandt Quedens Quint "
    "Rademacher Reimers Rohde Rasch Sander Seiler Sievers Struve Tamm Thiele Timm Tiedje Uhlig "
    "Unger Urban Ulrichs Vogt Vollmer Voss Vahl Wedekind Wendt Wulf Wieland Xander Xylander Yildiz "
    "Yorck Zabel Ziegler Zorn Zander "
)
FAMILIES = tuple(_FAMILIES.split())
"""Family names, which serve for companies too."""

_SHARED_BOXES = (
    "accounts accounting admin billing contact finance hello help helper info invoice invoices mail "
    "mailer daemon news noreply office orders postmaster sales service shop support team workshop "
    "example test www "
)
SHARED_BOXES = frozenset(_SHARED_BOXES.split())
"""Parts of mail addresses that stand for no person."""

_ORDINARY = (
    "a and at by co company corner de den der die du events for gmbh group house la le ltd media of "
    "office outdoor paper print school shop store studio supplies team test the van von & club "
    "hotel works books cafe bank card design "
)
ORDINARY = frozenset(_ORDINARY.split())
"""Words in names of companies that are no names."""

_CALENDAR = (
    "january february march april may june july august september october november december monday "
    "tuesday wednesday thursday friday saturday sunday "
)
CALENDAR = frozenset(_CALENDAR.split())
"""What nobody could tell from a date."""
