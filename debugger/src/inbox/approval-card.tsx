/** May this call run, with exactly these arguments? */
import { useState } from 'react';
import type { ApprovalItem, ApprovalRequest } from '../../../src/server/wire.ts';
import type { JsonValue } from '../../../src/util/json.ts';
import { ValueView } from '../json/value-view.tsx';
import { JsonEditor } from '../schema-form/json-editor.tsx';
import { lineOf } from '../words/foreign.tsx';
import { distanceText } from '../words/time-text.ts';
import { AnswerFoot, Claim, Origin } from './card-parts.tsx';
import { useAnswer } from './use-answer.ts';
import { Moment } from '../words/moment.tsx';

export interface ApprovalCardProps {
  readonly item: ApprovalItem;
  readonly onAnswered: (words: string) => void;
}

export function ApprovalCard({ item, onAnswered }: ApprovalCardProps): React.ReactNode {
  const { approvalId, etag, tool, toolVersion, input, inputSchema } = item;
  const path = `/v1/approvals/${encodeURIComponent(approvalId)}`;
  const answering = useAnswer<ApprovalRequest>(path, etag, onAnswered);
  const { answer, isBlocked } = answering;
  const [edit, setEdit] = useState<{ readonly value: JsonValue | undefined }>();
  const isChanged = edit?.value !== undefined && JSON.stringify(edit.value) !== JSON.stringify(input);
  return (
    <article className="card" aria-label={`Approval of ${lineOf(tool, 80)}`}>
      <header className="card-head">
        <h2>
          {lineOf(tool, 80)} <span className="faint">version {toolVersion}</span>
        </h2>
        <Terms item={item} />
      </header>
      <p className="card-why">
        <b>Asked because:</b> {lineOf(item.reason, 600)}
      </p>
      <Origin of={item} atMs={item.askedAtMs} what="Asked" />
      <section aria-label="Arguments">
        <header className="card-section">
          <h3>Arguments, exactly as the call will run</h3>
          <button
            type="button"
            className="button small"
            aria-pressed={edit !== undefined}
            disabled={isBlocked}
            onClick={() => setEdit(edit === undefined ? { value: input } : undefined)}
          >
            {edit === undefined ? 'Change them' : 'Leave them as they are'}
          </button>
        </header>
        {edit === undefined ? (
          <ValueView label="Arguments" value={input} mostRows={20} depth={4} />
        ) : (
          <JsonEditor label="Arguments" value={input} schema={inputSchema} onChange={(value) => setEdit({ value })} />
        )}
      </section>
      {item.statedReason === undefined ? undefined : <Claim text={item.statedReason} />}
      <AnswerFoot answering={answering} />
      <div className="card-actions">
        {edit === undefined ? (
          <button
            type="button"
            className="button main"
            disabled={isBlocked}
            onClick={() => answer({ decision: 'approve' }, `Approved ${lineOf(tool, 60)}`)}
          >
            Approve once
          </button>
        ) : (
          <button
            type="button"
            className="button main"
            disabled={isBlocked || !isChanged}
            onClick={() => {
              if (edit.value === undefined) return;
              answer({ decision: 'approve', edit: edit.value }, `Approved ${lineOf(tool, 60)} with changes`);
            }}
          >
            Approve with these changes
          </button>
        )}
        <button
          type="button"
          className="button danger"
          disabled={isBlocked}
          onClick={() => answer({ decision: 'deny' }, `Denied ${lineOf(tool, 60)}`)}
        >
          Deny
        </button>
        <span className="faint">
          counts once, for this call; expires <Moment atMs={item.expiresAtMs}>{distanceText(item.expiresAtMs)}</Moment>
        </span>
      </div>
    </article>
  );
}

function Terms({ item }: { readonly item: ApprovalItem }): React.ReactNode {
  const { effect, risk, isIrreversible } = item;
  return (
    <span className="terms">
      <span className="tag">effect: {effect}</span>
      {risk === undefined ? undefined : (
        <span className={risk === 'high' ? 'tag tone-bad' : risk === 'medium' ? 'tag tone-warn' : 'tag'}>
          risk: {risk}
        </span>
      )}
      {isIrreversible === true ? <span className="tag tone-bad">cannot be undone</span> : undefined}
    </span>
  );
}
