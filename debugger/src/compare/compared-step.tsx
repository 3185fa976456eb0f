/** One step of two runs: what each said and called, and every difference with its place. */
import { Link } from '@tanstack/react-router';
import type {
  BlockDifference,
  ComparedCall,
  ComparedStep,
  StepComparison,
  StepDifference,
} from '../../../src/replay/run-comparison.ts';
import { countedText, countText } from '../words/count-text.ts';
import { lineOf } from '../words/foreign.tsx';
import { StatusMark } from '../words/status.tsx';
import { durationText } from '../words/time-text.ts';

export interface ComparedStepViewProps {
  readonly left: string;
  readonly right: string;
  readonly step: StepComparison;
  /** True for the step in which the runs part. */
  readonly isParting: boolean;
}

export function ComparedStepView({ left, right, step, isParting }: ComparedStepViewProps): React.ReactNode {
  const { differences, blocks, isSame } = step;
  const telling = differences.filter(({ what }) => what !== 'tokens' && what !== 'duration');
  return (
    <article className={`compared ${isSame ? '' : 'differs'} ${isParting ? 'parting' : ''}`}>
      <h2 className="compared-title">
        Step {step.step} <span className="faint">{isSame ? 'same' : isParting ? 'here they part' : 'differs'}</span>
      </h2>
      <div className="compared-sides">
        <Side runId={left} step={step.left} isShared={isSame} />
        <Side runId={right} step={step.right} isShared={isSame} />
      </div>
      {telling.length === 0 ? undefined : (
        <ol className="compared-list" aria-label="Differences">
          {telling.map((difference) => (
            <Difference
              key={`${difference.what} ${difference.call ?? ''} ${difference.path ?? ''}`}
              difference={difference}
            />
          ))}
        </ol>
      )}
      {blocks.length === 0 ? undefined : (
        <details>
          <summary>What the models saw differs in {countedText(blocks.length, 'block')}</summary>
          <ol className="compared-list">
            {blocks.map((block) => (
              <Block key={`${block.kind} ${block.index ?? ''}`} block={block} />
            ))}
          </ol>
        </details>
      )}
    </article>
  );
}

interface SideProps {
  readonly runId: string;
  readonly step: ComparedStep | undefined;
  /** Where a run lacks the step itself, it has it from the other. */
  readonly isShared: boolean;
}

function Side({ runId, step, isShared }: SideProps): React.ReactNode {
  if (step === undefined) return <p className="faint">{isShared ? 'taken over from the other run' : 'no such step'}</p>;
  const { seq, inputTokens, outputTokens, modelMs, callsMs, calls, said } = step;
  return (
    <div className="compared-side">
      <p className="faint figure">
        <Link to="/runs/$runId/context" params={{ runId }} search={{ seq: String(seq) }}>
          what it saw
        </Link>
        , {countText(inputTokens)} in, {countText(outputTokens)} out, model {durationText(modelMs)}
        {calls.length === 0 ? '' : `, calls ${durationText(callsMs)}`}
      </p>
      {said === '' ? undefined : <p>{lineOf(said, 600)}</p>}
      {calls.map((call) => (
        <Call key={call.callId} runId={runId} call={call} />
      ))}
    </div>
  );
}

function Call({ runId, call }: { readonly runId: string; readonly call: ComparedCall }): React.ReactNode {
  const { callId, tool, input, attempts, isRecorded, status, output } = call;
  return (
    <div className="compared-call">
      <p>
        <Link to="/runs/$runId" params={{ runId }} search={{ span: `call.${callId}` }}>
          {lineOf(tool, 80)}
        </Link>
        <StatusMark status={status === 'succeeded' ? 'ok' : status} />
        {attempts > 1 ? <span className="tag">{attempts} attempts</span> : undefined}
        {isRecorded ? <span className="tag">recorded result</span> : undefined}
      </p>
      <code className="compared-value">{lineOf(JSON.stringify(input), 240)}</code>
      {output === undefined ? undefined : (
        <code className="compared-value faint">→ {lineOf(JSON.stringify(output), 240)}</code>
      )}
    </div>
  );
}

function Difference({ difference }: { readonly difference: StepDifference }): React.ReactNode {
  const { what, call, path, left, right } = difference;
  const ofCall = call === undefined ? '' : ` of call ${call + 1}`;
  const at = path === undefined || path === '' ? '' : ` at ${path}`;
  // Of what was seen as a whole only hashes are compared; the blocks below say more.
  const isHash = what === 'context' || what === 'tools';
  return (
    <li>
      <b>{lineOf(`${what}${ofCall}${at}`, 200)}</b>
      {isHash ? undefined : (
        <>
          <del>{left === undefined ? 'nothing' : lineOf(JSON.stringify(left), 400)}</del>
          <ins>{right === undefined ? 'nothing' : lineOf(JSON.stringify(right), 400)}</ins>
        </>
      )}
    </li>
  );
}

const changes = { changed: 'differs', 'left-only': 'only left', 'right-only': 'only right' } as const;

function Block({ block }: { readonly block: BlockDifference }): React.ReactNode {
  const { kind, index, change, left, right } = block;
  return (
    <li>
      <b>
        {kind}
        {index === undefined ? '' : ` ${index + 1}`}: {changes[change]}
      </b>
      {left === undefined ? undefined : <del>{lineOf(left, 300)}</del>}
      {right === undefined ? undefined : <ins>{lineOf(right, 300)}</ins>}
    </li>
  );
}
