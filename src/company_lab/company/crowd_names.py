"""Names, streets and towns that the people of a crowd are made of. Any likeness is chance."""

from __future__ import annotations

FIRST = (  # noqa: SIM905 - quoted one by one they would fill pages
    "Ada Agnes Aino Alba Albert Alice Alma Alva Amir Ana Anders Anna Anton Arne Asta Astrid August Axel Aya Beata "
    "Bela Benno Bente Birger Bo Bruno Carl Carla Cem Clara Clemens Dag Dana David Diego Dina Dora Ebba Edda Edgar "
    "Eino Elena Eli Elias Elin Ella Elsa Emil Emma Enno Erik Esra Esther Eva Fabian Farid Felix Fiona Finn Flora "
    "Frank Freja Frida Fritz Gabor Georg Greta Gro Gustav Hana Hanna Hans Hedda Heidi Helga Henrik Hilda Hugo Ida "
    "Ilse Imre Inga Ingrid Irma Isa Ivan Ivar Jakob Jan Jana Jens Joel Johan Jon Jonas Josef Judith Julia Kaja Karin "
    "Karl Kasper Katja Kim Kira Klaus Lars Laura Lea Leif Lena Leo Liam Lily Lina Linus Liv Lotte Luca Lucia Ludwig "
    "Magnus Maja Malin Marco Maren Maria Marius Mark Marta Martin Mathis Max Maya Mia Mikael Mila Milan Mina Mira "
    "Moa Mona Nadia Nils Nina Noah Nora Olaf Olga Olivia Oskar Otto Paul Paula Per Petra Pia Rafael Ragna Ralf Rasmus "
    "Rita Robin Rolf Rosa Ruben Ruth Sara Selma Signe Sigrid Silje Simon Siri Sofia Sonja Stella Stian Sven Sylvia "
    "Tage Tara Theo Thea Tilda Tim Tobias Tom Tora Tove Ulla Ulrik Uma Una Vera Vidar Viktor Vilma Vincent Walter "
    "Wilma Yara Yasmin Ylva Yusuf Zoe"
).split()

LAST = (  # noqa: SIM905 - quoted one by one they would fill pages
    "Aker Albers Almeida Amsel Andersen Arndt Aune Bach Bakke Barth Becker Behrens Bell Berg Bergman Bianchi Bjerke "
    "Blom Boer Bosch Brandt Braun Brekke Brown Bruun Carlsen Clark Conti Costa Dahl Dalgaard Dam Diaz Dietz Dressler "
    "Eide Ekman Engel Evans Evers Falk Ferrari Fischer Fjeld Foss Frank Franke Friis Garcia Gerber Graf Greco Green "
    "Groth Haas Hagen Hall Hansen Hartmann Haugen Hauge Heide Heller Henke Hoff Hofer Holm Holmberg Holt Horn Huber "
    "Hughes Iversen Jansen Jensen Johnsen Jung Juul Kaiser Keller King Kirk Klein Knudsen Koch Kolb Kraft Kramer Krog "
    "Kruse Kunz Lange Larsen Laurent Leclerc Lehmann Lie Lind Lindgren Lopez Lorenz Lowe Lund Lundberg Maas Madsen "
    "Marino Martin Mayer Meier Mercier Meyer Michel Moe Moen Moreau Moritz Mueller Nagel Neumann Nguyen Nielsen "
    "Nilsson Noack Nolte Norberg Nygaard Oberg Olsen Ortiz Otto Palm Park Paulsen Perez Peters Petit Pohl Popp Quist "
    "Rask Reed Reuter Rey Richter Ricci Riis Ritter Roberts Roth Rossi Rud Ruiz Sanchez Sand Sandberg Sauer Schmid "
    "Schulz Seidel Silva Simon Skov Smit Solberg Sommer Sorensen Steen Stein Storm Strand Sund Svensson Thiel Thomsen "
    "Thorsen Torp Tran Vang Vega Vogel Vogt Vos Wagner Walker Weber Weiss Wiik Wilson Winter Wolf Wood Young Zander "
    "Ziegler Zimmer"
).split()

STREETS = (  # noqa: SIM905 - quoted one by one they would fill pages
    "Birch Street,Bridge Street,Canal Row,Castle Road,Chapel Lane,Church Street,Clay Street,Dock Road,Elm Street,"
    "Field Lane,Garden Street,Glass Street,Harbour Street,Harbour Road,High Street,Hill Street,Kiln Lane,Lake Road,"
    "Linden Street,Long Street,Market Street,Meadow Lane,Mill Lane,Mill Street,New Street,North Street,Oak Street,"
    "Orchard Road,Park Street,Pine Street,Quay Street,Ring Street,River Road,Rope Walk,Rose Street,School Street,"
    "Sand Street,Ship Street,South Street,Spring Street,Station Road,Stone Street,Tower Street,Water Street,"
    "West Street,Willow Road,Wood Street,Yard Lane"
).split(",")

TOWNS = (  # noqa: SIM905 - quoted one by one they would fill pages
    "Aalborg,Aarhus,Antwerp,Basel,Bergen,Bern,Bremen,Bruges,Cork,Delft,Dresden,Esbjerg,Flensburg,Freiburg,Galway,"
    "Ghent,Goteborg,Graz,Groningen,Haarlem,Hamburg,Helsingborg,Husum,Kiel,Kolding,Leiden,Leipzig,Linz,Lubeck,Lund,"
    "Luzern,Malmo,Odense,Oslo,Porto,Ribe,Rostock,Salzburg,Stavanger,Tampere,Tromso,Turku,Uppsala,Utrecht,Vejle,"
    "Verona,Weimar,Zwolle"
).split(",")

FIRMS = (  # noqa: SIM905 - quoted one by one they would fill pages
    "Abendrot Kaffee,Aker Bakery,Alder Joinery,Amber Lights,Anchor Rope Works,Atlas Freight,Bluebell Nursery,"
    "Brightside Dental,Cedar Interiors,Cobalt Cycles,Copper Kettle,Corner Books,Delta Rentals,Ember Stoves,"
    "Fern and Daughter,Fjord Outfitters,Granite Works,Grove Kindergarten,Halden Print,Harbour Optics,Hazel Bakery,"
    "Ivory Piano House,Juniper Spirits,Kestrel Couriers,Lantern Theatre,Larch Timber,Linden Pharmacy,Maple Schools,"
    "Marble Arch Tiles,Meridian Tools,Nordlys Hotel,North Pier Boats,Oakfield Farms,Old Mill Brewery,Orchid Spa,"
    "Paper Crane Press,Pebble Beach Cafe,Quartz Watches,Raven Tattoo,Ridge Climbing,Sable Textiles,Saffron Kitchen,"
    "Silver Spoon Catering,Slate Roofing,Spruce Carpentry,Stillwater Pools,Summit Opticians,Tern Sailing School,"
    "Thistle Pub,Tinder Sauna,Umber Pottery,Velvet Sofas,Vesper Lamps,Walnut Instruments,Waverley Garage,"
    "Whitecap Laundry,Willow Clinic,Wren Tailors,Yellow Door Daycare,Zephyr Kites"
).split(",")

MAIL = (
    "post.example.test",
    "mail.example.test",
    "inbox.example.test",
    "letters.example.test",
    "home.example.test",
    "office.example.test",
)
