"""English as people ask: words that say nothing about what is looked for, and forms of one word.

Endings are the stemmer's affair; here is what no rule about endings finds.
"""

from __future__ import annotations

import re

STOP_WORDS = frozenset(
    """
    a about after again against all also am an and any are as at be because been before being
    between both but by can could did do does doing done during each few for from further had has
    have having he her here hers herself him himself his how i if in into is it its itself just let
    may me might more most must my myself no nor not now of off on once only or other our ours
    ourselves out over own per please same shall she should so some such than that the their theirs
    them themselves then there these they this those through to too under until up upon us very was
    we were what whatever when where whether which while who whom whose why will with within
    without would you your yours yourself yourselves
    aren couldn d didn doesn don hadn hasn haven isn ll m mustn re s shouldn t ve wasn weren won
    wouldn
    """.split()
)

# How a question begins: it tells the kind of the answer, which seldom names its kind.
QUESTION = re.compile(
    r"""
    ^\s*(?:in|on|at|to|from|for|with|by|of|about|since|until)?\s*
    (?: (?:what|which)(?:\s+(?:is|was|are|were))?(?:\s+the)?\s+(?:kinds?|types?|sorts?|names?)\s+of
      | (?:what|which)\s+(?:kinds?|types?|sorts?)
      | how\s+(?:many|much|long|often|far|old|big|soon)
        (?:\s+(?:times?|years?|months?|weeks?|days?))?
      | what\s+(?:time|date|day|year|month)
    )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)

ASKED = re.compile(
    r"\s*(?:who|whom|whose|what|when|where|why|how|which|did|does|do|is|are|was|were|has|have|had"
    r"|can|could|should|would|will)\s+\S+\s+\S",
    re.IGNORECASE,
)

# One line for each word, its forms and what is as often said in its place.
_SAME = """
awake awoke awoken
become became
begin began begun start
bend bent
bite bit bitten
bleed bled
blow blew blown
break broke broken
breed bred
bring brought
build built
burn burnt
buy bought purchase
catch caught
child children kid
choose chose chosen pick
come came
creep crept
deal dealt
die dying
dig dug
draw drew drawn
dream dreamt
drink drank drunk
drive drove driven
eat ate eaten
fall fell fallen
father dad daddy
feed fed
feel felt
fight fought
film movie
find found
flee fled
fly flew flown
foot feet
forbid forbade forbidden
forget forgot forgotten
forgive forgave forgiven
freeze froze frozen
get got gotten
give gave given
go went gone
goose geese
grandfather grandpa
grandmother grandma granny
grow grew grown
hang hung
hear heard
hide hid hidden
hold held
keep kept
know knew known
lead led
lean leant
leap leapt
learn learnt
leave left
lend lent
lose lost
make made
man men
mean meant
meet met
mother mom mum mommy mummy
mouse mice
pay paid
person people
photo picture pic photograph
ride rode ridden
ring rang rung
rise rose risen
run ran
say said
see saw seen
seek sought
sell sold
send sent
sew sewn
shake shook shaken
shine shone
shoot shot
show shown
shrink shrank shrunk
sing sang sung
sink sank sunk
sit sat
sleep slept asleep
slide slid
speak spoke spoken
spend spent
spin spun
stand stood
steal stole stolen
stick stuck
sting stung
strike struck
swear swore sworn
sweep swept
swim swam swum
swing swung
take took taken
teach taught
tear tore torn
tell told
think thought
throw threw thrown
tooth teeth
tv television
understand understood
wake woke woken
wear wore worn
weave wove woven
wedding married marriage marry
weep wept
wife wives
win won
woman women
write wrote written
"""

SAME_WORDS = tuple(tuple(line.split()) for line in _SAME.split("\n") if line)


def is_question(text: str) -> bool:
    return ASKED.match(text) is not None or text.rstrip().endswith("?")


def without_question(text: str) -> str:
    """A question without the words with which it begins, where others are left."""
    rest = QUESTION.sub("", text)
    return rest if any(map(str.isalnum, rest)) else text
