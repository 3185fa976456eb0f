/** What a model asks for again after its process was killed: Axle repeats nothing, a model may. */
import { someOf, type LikelyFault } from '../likely-fault.ts';
import { evidenceOf, type CallFact, type RunFacts } from '../run-facts.ts';

export function repeatAfterResume({ trace, calls }: RunFacts): readonly LikelyFault[] {
  const gaps = trace.parts.filter((part) => part.kind === 'gap' && part.cause !== 'no-driver-yet');
  const again: { readonly call: CallFact; readonly before: CallFact }[] = [];
  for (const gap of gaps) {
    const before = new Map(
      calls
        .filter(({ span }) => span.seq < gap.seq && span.outcome?.status === 'succeeded')
        .map((call) => [call.key, call]),
    );
    const after = calls.filter(({ span }) => span.seq > gap.seq && span.refusal === undefined);
    const [soon] = after;
    for (const call of after) {
      const known = before.get(call.key);
      // Only what is asked right after the gap can be its fault.
      if (known !== undefined && soon !== undefined && call.step - soon.step <= 2) again.push({ call, before: known });
    }
  }
  const effects = again.filter(({ call }) => call.span.effect !== 'read');
  if (effects.length === 0 && again.length < 2) return [];
  const tools = [...new Set(again.map(({ call }) => call.tool))].join(', ');
  return [
    {
      code: 'repeat-after-resume',
      confidence: effects.length > 0 ? 0.95 : 0.7,
      summary: `After the run had been interrupted the model asked again for what had been done: ${tools}.`,
      evidence: someOf(
        again.flatMap(({ call, before }) => [
          evidenceOf(before, `${call.tool} succeeded in step ${before.step}`),
          evidenceOf(call, `${call.tool} with the same arguments in step ${call.step}`),
        ]),
      ),
      remedy:
        'Axle repeated nothing by itself: these are new calls of the model. Let the result say plainly that it is done, and have such a tool ask a person (`risk: high`) or take an idempotency key of its own.',
    },
  ];
}
