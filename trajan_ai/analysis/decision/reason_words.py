"""Turn the reasons that `reasons` finds into sentences."""

from collections.abc import Callable, Mapping, Sequence

from trajan_ai.analysis.decision.move_values import Estimate
from trajan_ai.analysis.decision.reasons import Happening, Reason, Sum
from trajan_ai.analysis.decision.vp_sources import name_source
from trajan_ai.core.languages import tr
from trajan_ai.core.rules import Rules
from trajan_ai.core.rules_words import word_event_with_vp

SMALLEST = 0.1  # VP; a smaller part of a sum is omitted

Name = Callable[[int], str]


def word_reasons(
    rules: Rules,
    differences: Sequence[Happening],
    reasons: Sequence[Reason],
    total: Sum | None,
    *,
    own: int,
    name: Name,
    worse: str,
    cost: Estimate,
) -> list[str]:
    """Return reasons as sentences: first what happens, then what can be expected.

    Args:
        rules: the rules of the game.
        differences: events that happen in only one of the turns, but are not reasons.
        reasons: the reasons.
        total: the sum, or None.
        own: the player to decide.
        name: a function that returns another player's name as it is used within a sentence.
        worse: the worse move in words.
        cost: what the worse move costs, in VP of the lead.
    """
    happenings = [*differences, *(one for reason in reasons for one in reason.happenings)]
    sentences = [_word_event(rules, one, own, name, worse) for one in happenings]
    sentences += [
        _word_source(reason, own, name)
        for reason in reasons
        if reason.is_sure and not reason.is_explained
    ]
    if total is not None:
        sentences.append(_word_sum(total, own, name, worse, cost))
    # Two reasons may contain the same event, which is mentioned only once.
    return [text[0].upper() + text[1:] for text in dict.fromkeys(sentences)]


def _word_event(rules: Rules, one: Happening, own: int, name: Name, worse: str) -> str:
    what = word_event_with_vp(rules, one.event)
    if one.instead is not None:
        what = tr("{what} instead of {vp} VP", what=what, vp=one.instead)
    player = one.event.player
    if player is None or player == own:
        if one.is_after_better:
            return tr("the best turn {what}.", what=what)
        return tr("“{move}” {what}.", move=worse, what=what)
    if one.is_after_better:
        return tr("after the best turn, {name} {what}.", name=name(player), what=what)
    return tr("after “{move}”, {name} {what}.", move=worse, name=name(player), what=what)


def _word_source(reason: Reason, own: int, name: Name) -> str:
    vp = _word_number(abs(reason.vp.mean))
    if reason.vp.error:
        vp = f"{vp} ± {_word_number(reason.vp.error)}"
    values = {"vp": vp, "source": name_source(reason.source)}
    if reason.player == own:
        return tr(
            "after the best turn, you can expect to save {vp} VP at {source}."
            if reason.is_lost
            else "after the best turn, you can expect {vp} VP more from {source}.",
            **values,
        )
    return tr(
        "after the best turn, {name} can expect to lose {vp} VP more at {source}."
        if reason.is_lost
        else "after the best turn, {name} can expect {vp} VP fewer from {source}.",
        name=name(reason.player),
        **values,
    )


def _word_sum(total: Sum, own: int, name: Name, worse: str, cost: Estimate) -> str:
    losses = {player: vp if player == own else -vp for player, vp in total.vp.items()}
    by_size = sorted(losses, key=lambda player: -losses[player])
    parts = [
        _word_part(player, losses[player], own, name)
        for player in by_size
        if losses[player] >= SMALLEST
    ]
    if parts and total.sources:
        *some, last = map(name_source, total.sources)
        sources = tr(" and ").join(filter(None, [", ".join(some), last]))
        parts[0] = tr("{part}, mostly from {sources}", part=parts[0], sources=sources)
    text = tr(", and ").join(parts)
    for player in by_size:
        if losses[player] <= -SMALLEST:
            text = tr("{loss}; but {gain}", loss=text, gain=_word_gain(player, losses, own, name))
    return tr(
        "“{move}” costs {vp} ± {error} VP of the lead: {parts}.",
        move=worse,
        vp=_word_number(cost.mean),
        error=_word_number(cost.error),
        parts=text,
    )


def _word_part(player: int, vp: float, own: int, name: Name) -> str:
    if player == own:
        return tr("you get {vp} VP fewer", vp=_word_number(vp))
    return tr("{name} gets {vp} VP more", name=name(player), vp=_word_number(vp))


def _word_gain(player: int, losses: Mapping[int, float], own: int, name: Name) -> str:
    vp = _word_number(-losses[player])
    if player == own:
        return tr("you get {vp} VP more", vp=vp)
    return tr("{name} gets {vp} VP fewer", name=name(player), vp=vp)


def _word_number(value: float) -> str:
    whole, tenth = f"{value:.1f}".split(".")
    return tr("{whole}.{tenth}", whole=whole, tenth=tenth)
