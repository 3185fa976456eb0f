/** What probably went wrong in a run, with the evidence: from its journal alone. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { LikelyFault } from '../../../src/diagnose/likely-fault.ts';
import type { Diagnosis } from '../../../src/server/wire.ts';
import { runPath } from '../app/queries.ts';
import { askJson } from '../wire/request.ts';
import { countedText } from '../words/count-text.ts';
import { lineOf } from '../words/foreign.tsx';

/** Shown for a run that has ended: what is found before may be over a moment later. */
export function DiagnosisLine({ runId }: { readonly runId: string }): React.ReactNode {
  const { data } = useQuery({
    queryKey: ['diagnosis', runId],
    queryFn: ({ signal }) => askJson<Diagnosis>(runPath(runId, 'diagnosis'), { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const [isOpen, setOpen] = useState(false);
  const first = data?.faults[0];
  if (data === undefined || first === undefined) return undefined;
  return (
    <section className="diagnosis" aria-label="Diagnosis">
      <p className="diagnosis-line">
        <span className="tag tone-warn">{first.code}</span>
        <span className="cut diagnosis-words">{lineOf(first.summary, 400)}</span>
        <button type="button" className="button small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen
            ? 'Less'
            : data.faults.length === 1
              ? 'Why'
              : `Why, and ${countedText(data.faults.length - 1, 'other')}`}
        </button>
      </p>
      {isOpen ? (
        <ol className="diagnosis-faults">
          {data.faults.map((fault) => (
            <Fault key={`${fault.code} ${fault.summary}`} runId={runId} fault={fault} />
          ))}
        </ol>
      ) : undefined}
    </section>
  );
}

function Fault({ runId, fault }: { readonly runId: string; readonly fault: LikelyFault }): React.ReactNode {
  const { code, confidence, summary, evidence, remedy } = fault;
  return (
    <li>
      <p>
        <span className="tag tone-warn">{code}</span> {lineOf(summary, 600)}{' '}
        <span className="faint" title="How much speaks for it; it orders faults, and is no probability">
          {Math.round(confidence * 100)} of 100
        </span>
      </p>
      <ul className="diagnosis-evidence">
        {evidence.map((each) => (
          <li key={`${each.runId ?? ''} ${each.seq} ${each.text}`}>
            <Link to="/runs/$runId" params={{ runId: each.runId ?? runId }} search={{ span: each.spanId }}>
              {lineOf(each.spanId, 60)}
            </Link>{' '}
            {lineOf(each.text, 400)}
          </li>
        ))}
      </ul>
      <p className="soft">{lineOf(remedy, 600)}</p>
    </li>
  );
}
