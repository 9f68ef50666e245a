"""What the people of the generated conversations live through, in several wordings each.

An event is told, asked after and echoed by a friend, and asked about later in words that are not
always the same. ``{}`` names are filled from ``SLOTS``; a detail answers a friend's question, and
often says only what was asked for. Nothing here comes from a data set.
"""

from __future__ import annotations

from msgspec import Struct

SLOTS: dict[str, str] = {
    "craft": (
        "pottery, watercolour, woodcarving, calligraphy, glassblowing, knitting, silversmithing"
    ),
    "made": (
        "a bowl with a crooked rim, a tiny blue fox, two spoons, a lamp shade, a jar for my mother"
    ),
    "race": "half marathon, charity run, triathlon, night relay, mountain race, colour run",
    "cause": "the hospice, flood victims, mental health, the animal shelter, a new playground",
    "lesson": (
        "how far I can go when I slow down, that resting is part of the work, to ask for help"
    ),
    "place": (
        "Lisbon, Bergen, the Dolomites, Kyoto, Galway, Marrakesh, Vancouver, Ljubljana, Oaxaca"
    ),
    "sight": (
        "tiled houses and old trams, fog over the harbour, a monastery on a cliff, whales at dawn"
    ),
    "animal": "greyhound, tabby kitten, cockatiel, tortoise, rescue beagle, pair of guinea pigs",
    "petname": "Biscuit, Juniper, Captain, Mochi, Pepper, Waffles, Ludo, Saffron",
    "job": "paramedic, museum guide, landscape architect, sound engineer, librarian, pastry chef",
    "reason": "the hours are kinder, I wanted to work with people again, my old boss retired",
    "instrument": "cello, banjo, clarinet, accordion, steel drum, harp, mandolin",
    "piece": "an old lullaby, the tune from our wedding, a Finnish tango, something by Bach",
    "dish": "lemon tart, mushroom risotto, plum dumplings, sourdough, saffron buns, fish stew",
    "guest": "my in-laws, the whole choir, our neighbours, my thesis group, the night shift",
    "plant": "tomatoes, a quince tree, dahlias, hops, runner beans, lavender along the path",
    "trouble": "slugs, the late frost, a mole, aphids, hail in one afternoon",
    "organisation": (
        "food bank, sailing club, refugee centre, observatory, repair café, hospital radio"
    ),
    "duty": "sorting parcels at the back, the phones on Fridays, teaching knots, the welcome desk",
    "band": "a brass quintet, my cousin's punk band, an a cappella group, a Malian guitarist",
    "venue": "the old cinema, a barn outside town, the botanical garden, a church crypt",
    "home": "houseboat, farmhouse, studio above a bakery, terraced house, cabin by the lake",
    "snag": "the roof leaks over the kitchen, no lift and four floors, the stove smokes",
    "exam": "driving test, bar exam, Spanish certificate, lifeguard exam, pilot's theory test",
    "subject": "coding, first aid, origami, chess, bookkeeping, beekeeping",
    "pupils": "retired miners, my nephew's class, new arrivals, night nurses, teenagers in care",
    "contest": "baking competition, poetry slam, chess open, photo contest, regatta, quiz night",
    "prize": (
        "a voucher I will never use, a ridiculous golden ladle, second place, a weekend in Wales"
    ),
    "relative": "sister, grandfather, niece, brother-in-law, godson, stepmother",
    "gift": "a telescope, her old letters bound as a book, a hammock, a map of our town, a kite",
    "scene": "a lake at sunrise, my grandmother's hands, the harbour in snow, a field of poppies",
    "shop": "bicycle workshop, tea room, second-hand bookshop, flower stall, record store",
    "partner": "an aunt's legacy, a friend from school, a loan from the union, my severance pay",
    "language": "Portuguese, sign language, Icelandic, Korean, Welsh, Swahili",
    "method": "songs and a very patient neighbour, an app at breakfast, films without subtitles",
    "part": "wrist, collarbone, ankle, two ribs, little toe",
    "accident": "skating with the kids, falling off a ladder, a clumsy tackle, cleaning gutters",
    "fear": "heights, deep water, speaking in public, dogs, flying, the dark",
    "help": "a tandem jump, an old swimming coach, therapy on Thursdays, one small step each week",
    "heirloom": "a brass compass, her recipe notebook, a violin without strings, a quilt, medals",
    "sport": "climbing, curling, roller derby, fencing, water polo, archery",
    "calm": "long baths, carving spoons, running before sunrise, jigsaw puzzles, humming",
    "book": "a novel about lighthouse keepers, a history of salt, an old detective story, haiku",
    "verdict": "it made me cry on the bus, too long by half, I started again at once",
    "vehicle": "camper van, motorbike, rowing boat, tractor, cargo bike",
    "buyer": "a priest from the coast, two students, the circus, a man who paid in coins",
}


class Detail(Struct, frozen=True):
    """A friend's question, the answer, bare and in full, and how it is asked about later."""

    prompt: str
    answers: tuple[str, ...]
    questions: tuple[str, ...]


class Event(Struct, frozen=True):
    theme: str
    told: tuple[str, ...]
    echoes: tuple[str, ...]
    questions: tuple[str, ...]
    dated: str
    details: tuple[Detail, ...]


EVENTS: tuple[Event, ...] = (
    Event(
        "class",
        (
            "I signed up for a {craft} class {when}, my hands are still sore.",
            "{when} I finally began with {craft}. Should have done it years ago!",
        ),
        ("A {craft} class, how lovely! You always wanted that.", "{craft}! That suits you."),
        (
            "When did {name} start taking {craft} lessons?",
            "What made {name} sign up for {craft}?",
        ),
        "Which course did {name} begin on {date}?",
        (
            Detail(
                "What did you make in the first {craft} hour?",
                (
                    "It was {made}, and it is going straight to the window sill.",
                    "In the first {craft} hour I made {made}, very proud of it.",
                ),
                (
                    "What did {name} make in {craft}?",
                    "What was the first thing from the {craft} hour?",
                ),
            ),
        ),
    ),
    Event(
        "race",
        (
            "I ran a {race} for {cause} {when}, and I am still walking like a duck.",
            "{when} was the {race}. All the money goes to {cause}.",
        ),
        ("That {race} sounds amazing, and for such a good cause!", "You and a {race}, who knew!"),
        (
            "When did {name} run the {race}?",
            "For what cause was the {race} that {name} took part in?",
        ),
        "What did {name} run on {date}?",
        (
            Detail(
                "And what did the {race} teach you?",
                (
                    "To be honest: {lesson}. I keep thinking about it.",
                    "The race made me realise {lesson}.",
                ),
                ("What did {name} realise after the {race}?", "What has the {race} taught {name}?"),
            ),
        ),
    ),
    Event(
        "trip",
        (
            "We went to {place} {when} and I left half of my heart there.",
            "Just came home from {place}, we drove all night {when}.",
        ),
        (
            "{place}! I have been dreaming of going there.",
            "How was {place}? I want to hear it all.",
        ),
        ("When did {name} go to {place}?", "Where has {name} been travelling?"),
        "Where did {name} go on {date}?",
        (
            Detail(
                "What did you like best about {place}?",
                (
                    "Hard to choose, but {sight}. I took far too many pictures.",
                    "In {place} I liked {sight} most of all.",
                ),
                (
                    "What did {name} like most in {place}?",
                    "What impressed {name} while visiting {place}?",
                ),
            ),
        ),
    ),
    Event(
        "pet",
        (
            "We have a new member of the family: a {animal}! Picked it up {when}.",
            "{when} we adopted a {animal} and nobody has slept since.",
        ),
        ("A {animal}! Send pictures right now.", "Your kids must adore the {animal}."),
        ("When did {name} adopt the {animal}?", "What pet does {name} have?"),
        "Which animal did {name} bring home on {date}?",
        (
            Detail(
                "Did you find a name for the {animal} yet?",
                (
                    "{petname}! The children voted, I lost.",
                    "We are calling the {animal} {petname}.",
                ),
                (
                    "What is {name}'s {animal} called?",
                    "What is the name of the {animal} that {name} got?",
                ),
            ),
        ),
    ),
    Event(
        "job",
        (
            "Big news, I began working as a {job} {when}!",
            "They took me: {when} was my first day as a {job}.",
        ),
        ("Congratulations on the new job! A {job}, wow.", "I can so see you as a {job}."),
        ("What does {name} do for a living?", "When did {name} become a {job}?"),
        "What new work did {name} begin on {date}?",
        (
            Detail(
                "What made you leave the old place?",
                ("Mostly because {reason}.", "I left the old place because {reason}."),
                (
                    "Why did {name} leave the former job to be a {job}?",
                    "Why did {name} leave the old place?",
                ),
            ),
        ),
    ),
    Event(
        "instrument",
        (
            "I bought a used {instrument} {when}, the neighbours are thrilled, not.",
            "Guess who is learning the {instrument}? It came by post {when}.",
        ),
        ("The {instrument}! That takes patience.", "Will you play the {instrument} at my party?"),
        ("Which instruments does {name} play?", "When did {name} buy the {instrument}?"),
        "What did {name} buy on {date}?",
        (
            Detail(
                "Which piece do you practise on the {instrument}?",
                (
                    "Every evening {piece}, badly.",
                    "I am practising {piece}, the {instrument} forgives a lot.",
                ),
                (
                    "What does {name} practise on the {instrument}?",
                    "Which music is {name} practising?",
                ),
            ),
        ),
    ),
    Event(
        "cooking",
        (
            "I made {dish} {when} for {guest}, not a crumb was left.",
            "{when} I tried my hand at {dish} because {guest} came over.",
        ),
        ("Your {dish}! I can smell it from here.", "Save some {dish} for me next time."),
        ("What did {name} cook for {guest}?", "When did {name} make {dish}?"),
        "What did {name} cook on {date}?",
        (),
    ),
    Event(
        "garden",
        (
            "I planted {plant} {when}, the first green thing this year.",
            "My back hurts: {when} was all about {plant}.",
        ),
        ("How are the {plant} doing?", "So jealous of your garden, {plant} and all."),
        ("What has {name} planted in the garden?", "When did {name} plant {plant}?"),
        "What did {name} plant on {date}?",
        (
            Detail(
                "And what went wrong in the garden this time?",
                (
                    "Ha, {trouble}. I gave up and made tea.",
                    "The damage in the garden came from {trouble} this year.",
                ),
                ("What damaged {name}'s garden?", "Which problem did {name} have in the garden?"),
            ),
        ),
    ),
    Event(
        "volunteering",
        (
            "I have been helping at the {organisation} since {when}.",
            "{when} I gave my first shift at the {organisation}, it felt right.",
        ),
        ("The {organisation} is lucky to have you.", "My aunt was at the {organisation}, too!"),
        ("Where does {name} volunteer?", "When did {name} begin at the {organisation}?"),
        "Where did {name} volunteer on {date}?",
        (
            Detail(
                "What do they let you do at the {organisation}?",
                (
                    "Nothing glamorous, {duty}. I love it.",
                    "At the {organisation} I am in charge of {duty}.",
                ),
                (
                    "What are {name}'s tasks at the {organisation}?",
                    "What does {name} do at the {organisation}?",
                ),
            ),
        ),
    ),
    Event(
        "concert",
        (
            "We heard {band} at {venue} {when}. Goose bumps from the first note.",
            "{when}, {venue}, {band}: best evening of the year.",
        ),
        ("Live music at {venue}, I miss that.", "I would have come along to hear {band}!"),
        ("Where did {name} hear {band}?", "Which concert has {name} been to at {venue}?"),
        "Which music did {name} hear on {date}?",
        (),
    ),
    Event(
        "move",
        (
            "Boxes everywhere, we moved into a {home} {when}.",
            "{when} I got the keys to the {home}. I cried a little.",
        ),
        ("A {home}, you are living the dream.", "When is the party in the {home}?"),
        ("When did {name} move into the {home}?", "What kind of place does {name} live in?"),
        "What did {name} move into on {date}?",
        (
            Detail(
                "Is there anything wrong with the {home}?",
                ("Well, {snag}, but it is ours.", "The only thing wrong with the {home}: {snag}."),
                (
                    "What is wrong with {name}'s {home}?",
                    "Which fault does the {home} of {name} have?",
                ),
            ),
        ),
    ),
    Event(
        "exam",
        (
            "I passed the {exam} {when}, on the third try.",
            "It is done: {exam}, passed {when}, never again.",
        ),
        ("You passed the {exam}! Drinks on me.", "The {exam}, at last. So proud."),
        ("When did {name} pass the {exam}?", "Which exam has {name} passed?"),
        "Which exam did {name} take on {date}?",
        (),
    ),
    Event(
        "teaching",
        (
            "I taught {subject} to {pupils} {when}, they were faster than me.",
            "{when} was my first evening of {subject} with {pupils}.",
        ),
        (
            "You are a born teacher, {subject} of all things!",
            "{subject} for {pupils}, what a good idea.",
        ),
        (
            "Whom does {name} teach {subject}?",
            "When did {name} teach {subject} for the first time?",
        ),
        "What did {name} teach on {date}?",
        (),
    ),
    Event(
        "contest",
        (
            "I won something at the {contest} {when}, me of all people.",
            "{when} I took part in the {contest} and did not come last.",
        ),
        ("The {contest}! Tell me you have it on film.", "A {contest} winner, I bow."),
        ("When did {name} take part in the {contest}?", "Which competitions has {name} won?"),
        "What did {name} win on {date}?",
        (
            Detail(
                "So what did you get at the {contest}?",
                ("You will laugh: {prize}.", "The prize was {prize}, I am not joking."),
                (
                    "What was the prize {name} got at the {contest}?",
                    "What did {name} win at the {contest}?",
                ),
            ),
        ),
    ),
    Event(
        "gift",
        (
            "My {relative} turned up {when}, so I gave away {gift}.",
            "{when} I gave my {relative} {gift}. No words, only hugs.",
        ),
        ("You give the best presents. {gift}!", "Your {relative} must have been so touched."),
        ("What did {name} give to the {relative}?", "When did {name} give {gift} away?"),
        "What present did {name} give on {date}?",
        (),
    ),
    Event(
        "art",
        (
            "I painted {scene} {when} and for once I like it.",
            "Look at this: {scene}, oil, finished {when}.",
        ),
        (
            "Love that painting, the light in it!",
            "You should show that somewhere, {scene} and all.",
        ),
        ("What did {name} paint?", "When did {name} finish the painting of {scene}?"),
        "What did {name} paint on {date}?",
        (),
    ),
    Event(
        "shop",
        (
            "We opened the {shop} {when}! Three customers and a dog.",
            "{when} we turned the key: my own {shop}.",
        ),
        ("Your own {shop}! I will be the fourth customer.", "A {shop}, you brave thing."),
        ("What business did {name} open?", "When did {name} open the {shop}?"),
        "What did {name} open on {date}?",
        (
            Detail(
                "How on earth did you pay for it?",
                ("With {partner}, mostly.", "I paid for the {shop} with {partner}."),
                ("How did {name} finance the {shop}?", "How could {name} pay for the {shop}?"),
            ),
        ),
    ),
    Event(
        "language",
        (
            "I have been learning {language} since {when}, my tongue is in knots.",
            "{when} I had my first real talk in {language}!",
        ),
        ("Say something in {language}!", "{language} is so hard, respect."),
        ("Which language is {name} learning?", "When did {name} start to learn {language}?"),
        "Which language did {name} speak on {date}?",
        (
            Detail(
                "How do you study {language}?",
                ("With {method}. It works, somehow.", "I study {language} with {method}."),
                ("How does {name} study {language}?", "How is {name} learning {language}?"),
            ),
        ),
    ),
    Event(
        "injury",
        (
            "I broke my {part} {when} while {accident}. Typing with one finger.",
            "{when}, {accident}, and there went my {part}.",
        ),
        ("Oh no, your {part}! Does it hurt much?", "Get well soon, and stay away from ladders."),
        ("How did {name} break the {part}?", "When was {name} injured?"),
        "How did {name} get hurt on {date}?",
        (),
    ),
    Event(
        "fear",
        (
            "You know how afraid I am of {fear}? Something changed {when}.",
            "{when} I looked {fear} in the eye, and I am still here.",
        ),
        ("I know what {fear} does to you. So brave.", "You and {fear}, that is huge."),
        ("What is {name} afraid of?", "When did {name} face the fear of {fear}?"),
        "Which fear did {name} face on {date}?",
        (
            Detail(
                "What was it that helped you?",
                ("It was {help}.", "What helped me against {fear} was {help}."),
                (
                    "What helped {name} against the fear of {fear}?",
                    "How did {name} get over {fear}?",
                ),
            ),
        ),
    ),
    Event(
        "heirloom",
        (
            "While clearing the attic {when} I found {heirloom} of my grandmother's.",
            "{when} my mother handed me {heirloom}. It was grandmother's.",
        ),
        (
            "Hold on to {heirloom}, such things are rare.",
            "Your grandmother's! I have a lump in my throat.",
        ),
        ("What did {name} inherit from the grandmother?", "Where did {name} find {heirloom}?"),
        "What did {name} find on {date}?",
        (),
    ),
    Event(
        "sport",
        (
            "I joined a {sport} team {when}. Everything aches and I am happy.",
            "{when} was my first {sport} training, I was awful.",
        ),
        ("{sport}! Do you wear a helmet?", "A {sport} team, that is so you."),
        ("Which sport has {name} taken up?", "When did {name} join the {sport} team?"),
        "Which sport did {name} try on {date}?",
        (),
    ),
    Event(
        "calm",
        (
            "The last weeks were a lot, but since {when} I sleep again.",
            "Work nearly broke me, {when} I pulled the brake.",
        ),
        ("Good that you look after yourself.", "Self-care is not a luxury, I keep saying it."),
        ("Since when does {name} sleep well again?", "When did {name} slow down at work?"),
        "When did {name} pull the brake, was it {date}?",
        (
            Detail(
                "What do you do to unwind after such days?",
                ("These days it is {calm}.", "I unwind with {calm} these days."),
                ("How does {name} relax?", "What does {name} do to unwind after stressful days?"),
            ),
        ),
    ),
    Event(
        "reading",
        (
            "I finished {book} {when}, what a ride.",
            "{when} I stayed up all night with {book}.",
        ),
        ("Lend me that book when you can!", "I never read anything like {book}."),
        ("What has {name} read lately?", "When did {name} finish {book}?"),
        "Which book did {name} read on {date}?",
        (
            Detail(
                "Would you recommend it?",
                ("Honestly, {verdict}.", "As to recommending {book}: {verdict}."),
                ("What does {name} think of {book}?", "Would {name} recommend {book}?"),
            ),
        ),
    ),
    Event(
        "sale",
        (
            "I sold the {vehicle} {when}, a small tear was shed.",
            "{when} somebody drove off with my {vehicle}, paid in full.",
        ),
        ("The {vehicle}, gone! End of an era.", "I learned to steer in that {vehicle}."),
        ("Who bought the {vehicle} from {name}?", "When did {name} sell the {vehicle}?"),
        "What did {name} sell on {date}?",
        (
            Detail(
                "Who took it in the end?",
                ("{buyer}, would you believe it.", "It was {buyer} who bought the {vehicle}."),
                (
                    "Who is the new owner of {name}'s {vehicle}?",
                    "Who took over the {vehicle} of {name}?",
                ),
            ),
        ),
    ),
)

NAMES = (
    "Caitlin, Moritz, Priya, Tomasz, Yusuf, Ingrid, Mateo, Leilani, Bram, Odette, Kwame, Saoirse, "
    "Nadia, Felix, Hana, Rufus, Zofia, Emre, Clara, Dmitri"
)
GREETINGS = (
    "Hey {friend}! Good to hear from you. How have you been?",
    "Hi {friend}, long time no see! Anything new?",
    "Hello {friend}! What have you been up to?",
    "{friend}! I was just thinking of you. How is life?",
)
ANSWERS = (
    "Hey {friend}! Busy with work and the kids, but fine. And you?",
    "Hi {friend}! Cannot complain, the days fly. What about you?",
    "Oh you know, {friend}, the usual chaos. Tell me about you first.",
)
CHATTER = (
    "That is so good to hear, {friend}.",
    "Totally agree, {friend}. It is the small things.",
    "Thanks, {friend}! It means a lot.",
    "Haha, I know that feeling too well.",
    "How is your family doing these days?",
    "They are fine, thanks! Growing up too fast.",
    "The weather has been awful here, rain all week.",
    "I had the worst coffee of my life this morning.",
    "We should meet again soon, it has been months.",
    "Yes! Let us find a date, maybe next month.",
    "Work is work. Too many meetings, too little time.",
    "Do you remember our teacher from school? I saw him at the market.",
    "My phone fell into the sink, so excuse the typos.",
    "I am off to bed now, {friend}. Talk soon!",
    "Take care, {friend}. Say hello to everyone.",
    "What a week. I need a holiday from my holiday.",
    "Did you see the moon last night? Unreal.",
    "I keep telling myself to drink more water.",
    "That reminds me, I still owe you dinner.",
    "Looking forward to it, {friend}!",
    "Wow, that is cool! What happened next?",
    "I am so proud of you, {friend}. You worked hard for it.",
    "It was hard at first, but it is getting better every day.",
    "Some days I do not know where my head is.",
)
