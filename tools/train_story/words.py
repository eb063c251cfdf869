"""The vocabulary of the stories: who can be in them, where they are, what they carry."""

BOY_NAMES = (
    "Tom Ben Max Leo Sam Finn Jack Oscar Theo Noah Milo Hugo Felix Arlo Toby Eli Owen Rufus "
    "Otto Jasper Bruno Pip Gus Ned Kai Ravi Omar Luca Emil Ivan"
).split()
GIRL_NAMES = (
    "Mia Lily Anna Sue Zoe Emma Ruby Nora Ella Clara Ivy Lucy Rosie Maya Hazel Daisy Willa June "
    "Tess Greta Poppy Wren Fern Mabel Dot Asha Lina Yuki Sara Vera"
).split()

# People: the noun and the pronouns that go with it.
PEOPLE = [("boy", "m"), ("girl", "f"), ("prince", "m"), ("princess", "f"), ("baker", None),
          ("sailor", None), ("farmer", None), ("painter", None), ("gardener", None), ("wizard", "m"),
          ("witch", "f"), ("king", "m"), ("queen", "f"), ("knight", None), ("robot", None)]

# Animals: the noun, where it lives, the noun for its young.
ANIMALS = [
    ("fox", "den", "cub"), ("rabbit", "burrow", "bunny"), ("bear", "cave", "cub"),
    ("mouse", "hole", "pup"), ("hedgehog", "nest", "hoglet"), ("squirrel", "hollow tree", "kitten"),
    ("owl", "hollow tree", "owlet"), ("duck", "nest", "duckling"), ("frog", "pond", "tadpole"),
    ("cat", "basket", "kitten"), ("dog", "kennel", "puppy"), ("badger", "den", "cub"),
    ("otter", "den", "pup"), ("beaver", "lodge", "kit"), ("deer", "thicket", "fawn"),
    ("goat", "barn", "kid"), ("lamb", "barn", "lamb"), ("pony", "stable", "foal"),
    ("pig", "barn", "piglet"), ("hen", "coop", "chick"), ("goose", "nest", "gosling"),
    ("wolf", "den", "cub"), ("turtle", "pond", "hatchling"), ("penguin", "nest", "chick"),
    ("elephant", "grove", "calf"), ("lion", "den", "cub"), ("tiger", "cave", "cub"),
    ("monkey", "tall tree", "baby"), ("dragon", "cave", "hatchling"), ("mole", "burrow", "pup"),
]
WINGED = ["robin", "crow", "sparrow", "magpie", "swallow", "blue jay", "pigeon", "woodpecker"]

TRAITS = ["little", "small", "young", "kind", "brave", "shy", "clever", "curious", "cheerful", "quiet",
          "gentle", "busy", "sleepy", "happy", "merry", "tiny"]

# With the preposition: where somebody lives.
PLACES = [
    "in a small village by the sea", "in a little house on a hill", "in a cottage near the forest",
    "in a quiet valley", "in a town with a tall clock tower", "on a farm at the end of a long road",
    "in a village at the foot of a mountain", "in a tiny house beside a river", "in an old mill by a stream",
    "in the middle of a deep green forest", "in a lighthouse on a rocky shore", "on an island with white sand",
    "in a castle with seven towers", "in a warm land far away", "in a garden behind a stone wall",
]
OUTDOORS = ["the forest", "the meadow", "the park", "the beach", "the river", "the old bridge", "the garden",
            "the hill", "the lake", "the orchard", "the market", "the village square"]

# Things that can be carried, lost, given or shared.
THINGS = (
    "ball,book,bell,hat,scarf,key,ring,coin,button,drum,flute,whistle,spoon,cup,basket,blanket,lantern,"
    "candle,map,compass,feather,shell,stone,marble,doll,teddy bear,puzzle,paintbrush,pencil,letter,"
    "mirror,necklace,ribbon,glove,boot,umbrella,pocket watch,music box,telescope,bucket,toy boat,toy train,"
    "wooden horse,paper star,seed,acorn,pinecone,bracelet,crown,wand,violin,guitar,camera,clock,jar,"
    "teapot,kite,balloon,backpack,sled,spinning top,picture,flag,jewel,pearl,bottle,rope,net,broom,box"
).split(",")
LOOKS = ["red", "blue", "yellow", "green", "golden", "silver", "shiny", "tiny", "old", "soft", "round",
         "purple", "orange", "white", "striped", "beautiful", "special"]
# Things that the wind can take, and places where they end up.
FLYING = ["kite", "hat", "balloon", "scarf", "paper plane", "ribbon", "umbrella", "letter", "feather", "flag"]
HIGH = ["the top of an apple tree", "a tall oak tree", "the roof of the barn", "a high branch",
        "the roof of the old mill", "the top of a lamp post", "a tall pine tree", "the church tower"]
# Things that break, and what mends them.
BREAKABLE = [
    ("toy boat", "glue", "the mast had snapped"), ("kite", "tape", "the paper had torn"),
    ("music box", "a tiny screw", "the lid had come off"), ("drum", "string", "the skin had come loose"),
    ("wooden horse", "glue", "a leg had come off"), ("cart", "a new wheel", "one wheel had broken"),
    ("sled", "a piece of rope", "the rope had snapped"), ("chair", "nails", "one leg had cracked"),
    ("basket", "strong grass", "the handle had broken"), ("lantern", "a new wick", "the light had gone out"),
    ("teddy bear", "needle and thread", "an arm had come off"), ("clock", "a drop of oil", "the hands had stopped"),
    ("bucket", "a cork", "there was a hole in it"), ("violin", "a new string", "a string had snapped"),
    ("swing", "a new rope", "the rope had worn through"), ("umbrella", "needle and thread", "the cloth had ripped"),
]
FOODS = ["bread", "honey cake", "apple pie", "berries", "cheese", "soup", "cookies", "pancakes", "nuts",
         "plums", "carrots", "gingerbread"]
# Spots where a lost thing is not, and where it is found.
SPOTS = ["under the bed", "behind the door", "in the tall grass", "under a big leaf", "behind a rock",
         "in a pile of leaves", "inside an old boot", "under the bench", "beside the well", "in the hay",
         "between two roots", "at the bottom of the basket", "under the stairs", "next to the gate",
         "in a bush", "on top of the shelf"]
# What can frighten, where it is met, and what makes it less frightening.
FEARS = [
    ("the dark", "The night was black and still", "a small lantern", "the dark is only the day asleep"),
    ("thunder", "A storm rolled over the roof", "a warm blanket", "thunder is only the clouds bumping heads"),
    ("deep water", "The lake was wide and cold", "a round cork float", "water will hold you if you trust it"),
    ("high places", "The path went up and up", "a long rope", "you only need to look at the next step"),
    ("the wind", "The wind howled in the chimney", "a soft scarf", "the wind is only singing to the trees"),
    ("the old forest", "The trees made long shadows", "a silver bell", "every shadow belongs to something small"),
]
SKILLS = [
    ("swim", "swam all the way across the pond"), ("whistle", "whistled a whole song"),
    ("ride a bicycle", "rode all the way down the lane"), ("skate", "skated in a big circle"),
    ("paint", "painted a picture of the sea"), ("play the flute", "played a sweet little tune"),
    ("bake bread", "baked a loaf that was golden and soft"), ("climb", "climbed to the very top of the tree"),
    ("dance", "danced from one end of the room to the other"), ("sing", "sang so well that even the birds listened"),
    ("read", "read a whole page out loud"), ("juggle", "juggled three apples without dropping one"),
    ("row a boat", "rowed right around the island"), ("tie a knot", "tied a knot that would not slip"),
]
GIFTS = [
    ("a card", "some paper and a red pencil"), ("a necklace", "shells from the beach"),
    ("a crown", "yellow flowers from the meadow"), ("a scarf", "soft blue wool"),
    ("a birdhouse", "bits of old wood"), ("a cake", "flour, eggs and honey"),
    ("a picture", "paint and a big piece of paper"), ("a basket", "long green reeds"),
    ("a candle", "wax from the bees"), ("a song", "nothing but words and a tune"),
    ("a pillow", "the softest feathers"), ("a lantern", "an old jar and a candle"),
]
FAMILY = [("mother", "f"), ("father", "m"), ("grandmother", "f"), ("grandfather", "m"), ("sister", "f"),
          ("brother", "m"), ("aunt", "f"), ("uncle", "m")]
GAMES = ["hide and seek", "tag", "catch", "leapfrog", "marbles", "pirates", "follow the leader"]
WEATHER = ["sunny", "windy", "bright", "cool", "warm", "misty", "fine", "snowy"]
TIMES = ["morning", "afternoon", "evening"]
