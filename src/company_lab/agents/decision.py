"""The decision loop: a decision model picks the next action, a writer gives its arguments, the world answers.

The application owns the loop. Before each step the decider is shown the state and asked one `choice` question, whose
options are the tools on offer and `respond`. What it chose, what the writer supplied, and what came of it are three
different records of the trace.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from company_lab.agents.chat_asking import Asking, asking
from company_lab.agents.chat_host import ModelHost
from company_lab.agents.chat_names import RESPOND, ToolNames, chosen_names
from company_lab.agents.chat_offers import looking_first
from company_lab.agents.chat_settings import Common, Options, api_url
from company_lab.agents.chat_turns import attempted
from company_lab.agents.decision_criteria import read_criteria, with_criteria
from company_lab.agents.decision_state import State
from company_lab.agents.decision_writer import ARGUMENTS, MODES, REPLY, Writer
from company_lab.agents.prices import Price, price_of, report_usage
from company_lab.agents.protocol import Agent, Session, Task, ToolOffer
from company_lab.agents.systemone import MOST_OPTIONS, Decision, decider_url, question, read_decision
from company_lab.formats.canonical import Json, NotJson, parse
from company_lab.formats.errors import WrongUse

INSTRUCTIONS = (
    "Choose the next action that the request needs, given what was observed and what has been done. A look-up that "
    "failed has not established a completed refund, nor anything else; an action that was refused, held, or failed has "
    "not happened. Choose respond when everything is done, or when nothing more can be done."
)
"""What the decider is asked, unless said otherwise."""
RESPOND_CRITERION = "Everything the request needs is done, or nothing more can be done: end with a reply."
_OPTIONS = (
    "decider",
    "decider_model",
    "decider_key_env",
    "writer",
    "writer_model",
    "writer_key_env",
    "writer_mode",
    "instructions",
    "criteria",
    "system",
    "recording",
)


def decision_agent(given: Mapping[str, Json]) -> Agent:
    """The agent of a decision model and a writer. Raises `WrongUse` for options that do not go together."""
    options = Options(given, adapter="decision", known=_OPTIONS)
    address = options.needed("decider", "http://127.0.0.1:8000")
    decider_model = options.needed("decider_model", "decider:2b")
    writer_url = api_url(options.needed("writer", "http://127.0.0.1:11434/v1"), option="--writer")
    writer_model = options.needed("writer_model", "qwen3:4b")
    common = options.common()
    base, path = decider_url(address)
    decider = options.host("decider", url=base, model=decider_model, key="decider_key_env", common=common)
    host = options.host("writer", url=writer_url, model=writer_model, key="writer_key_env", common=common)
    instructions = options.prompt("instructions", INSTRUCTIONS)
    spelled = options.content("criteria")
    criteria = {} if spelled is None else read_criteria(spelled, file=str(options.text("criteria")))
    prompts = {"arguments": options.prompt("system", ARGUMENTS), "reply": options.prompt("system", REPLY)}
    mode = options.text("writer_mode") or MODES[0]
    if mode not in MODES:
        raise WrongUse(f"--writer-mode {mode}: give {' or '.join(MODES)}")
    decider_price = price_of(decider_model, base, common.prices)
    writer_price = price_of(writer_model, writer_url, common.prices)
    writer = Writer(host, writer_price, mode=mode, prompts=prompts, sampling=common.sampling("max_tokens"))
    loop = _Loop(decider, path, decider_price, writer, instructions, criteria, common)
    agent = Agent(
        name="decision",
        kind=common.kind,
        act=loop.act,
        settings=options.settings,
        prompts={"instructions": instructions, **({"criteria": spelled} if spelled else {}), **prompts},
        prices={
            "decider": {"of": decider_model, **decider_price.snapshot},
            "writer": {"of": writer_model, **writer_price.snapshot},
        },
        hosts={decider.name: None, host.name: None},
    )
    return looking_first(agent, loop.options)


class _Loop:
    def __init__(
        self,
        decider: ModelHost,
        path: str,
        price: Price,
        writer: Writer,
        instructions: str,
        criteria: Mapping[str, str],
        common: Common,
    ) -> None:
        self._decider = decider
        self._path = path
        self._price = price
        self._writer = writer
        self._instructions = instructions
        self._criteria = criteria
        self._common = common

    def options(self, tools: Sequence[ToolOffer]) -> tuple[ToolNames, dict[str, str]]:
        """The tools by option, and what each option means. Raises `WrongUse`."""
        names = chosen_names(tools, only=self._common.tools, aliases=self._common.aliases, functions=False)
        if len(names.offers) + 1 > MOST_OPTIONS:
            departments = sorted({offer.name.partition(".")[0] for offer in names.offers.values()})
            raise WrongUse(
                f"{len(names.offers)} tools and {RESPOND}: a choice has at most {MOST_OPTIONS} options. Name those "
                f"that matter, by department or one by one, such as --tool '{departments[0]}.*' "
                f"(departments: {', '.join(departments)})"
            )
        described = {name: offer.description for name, offer in names.offers.items()}
        return names, with_criteria({**described, RESPOND: RESPOND_CRITERION}, self._criteria, names)

    async def act(self, task: Task, session: Session) -> str:
        """What the agent does in a turn."""
        names, criteria = self.options(task.tools)
        state = State(task, session.memory)
        async with asking(session, traffic=self._common.traffic) as line:
            while True:
                decision = await self._decided(line, session, state, criteria)
                if decision.choice == RESPOND:
                    text = await self._writer.reply(line, session, state.document())
                    state.replied(text)
                    session.memory = state.memory()
                    return text
                await self._carried_out(line, session, state, names, decision.choice)
                state.observe(session.observe())

    async def _decided(
        self, line: Asking, session: Session, state: State, criteria: Mapping[str, str]
    ) -> Decision:
        request = question(
            model=self._decider.model,
            state=state.document(),
            instructions=self._instructions,
            criteria=criteria,
        )
        decision, _ = await line.post(self._decider, self._path, request, read_decision)
        try:
            session.choice(request, decision.answer)
        finally:  # an answer that is too long ends the episode, and was paid for
            report_usage(session, decision.used, self._price, model=self._decider.model)
        return decision

    async def _carried_out(
        self, line: Asking, session: Session, state: State, names: ToolNames, choice: str
    ) -> None:
        """Have the arguments of a chosen action written, attempt it, and add what came of it to the state."""
        offer = names.offers.get(choice)
        if offer is None:  # none of the options: nobody can write arguments for it
            state.record(choice, {}, attempted(session, names.unoffered(choice), {}, by="selector"))
            return
        written, hint = await self._writer.arguments(line, session, state.document(), choice, offer)
        came = attempted(session, offer.name, written, by="writer", hint=hint)
        state.record(choice, _readable(written), came)
        if offer.writes:  # what was done must be known after a crash
            session.memory = state.memory()


def _readable(arguments: Json) -> Json:
    """Arguments as the history shows them: as JSON where they are, as their text otherwise."""
    if not isinstance(arguments, str):
        return arguments
    try:
        return parse(arguments)
    except NotJson:
        return arguments
