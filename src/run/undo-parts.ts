/** The calls that an undo run proposes, as the parts of its one turn. */
import type { ModelPart } from '../call/message.ts';
import { type UndoStep, undoName } from '../call/undo.ts';
import type { RunTask } from '../journal/entry.ts';

export type UndoTask = Extract<RunTask, { kind: 'undo' }>;

/** The steps that are proposed: all that can be, up to the first that cannot when that one stops the run. */
export function proposed({ steps, onProblem }: Pick<UndoTask, 'steps' | 'onProblem'>): readonly UndoStep[] {
  const stop = onProblem === 'stop' ? steps.findIndex(({ kind }) => kind === 'unable') : -1;
  return (stop < 0 ? steps : steps.slice(0, stop)).filter(({ kind }) => kind === 'undo');
}

/** The proposed steps as the parts of one turn. */
export function undoParts(task: UndoTask): readonly ModelPart[] {
  return proposed(task).flatMap((step): readonly ModelPart[] =>
    step.kind === 'undo'
      ? [
          {
            kind: 'call',
            toolCallId: step.callId,
            toolName: undoName(step.tool),
            argumentsText: JSON.stringify({ input: step.input, output: step.output }),
          },
        ]
      : [],
  );
}
