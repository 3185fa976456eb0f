/** Who can be measured, and how each is opened. Loaded only when asked for: a sample's process holds nothing of the others. */
import { openFloor } from './floor.ts';
import type { Subject } from './sample-spec.ts';
import type { OpenSubject, SubjectOpener } from './subject.ts';
import { createModel, createPages, instructions, noteTool, pageTool, question } from './workload.ts';

export async function subjectOpener(subject: Subject): Promise<SubjectOpener> {
  switch (subject) {
    case 'floor':
      return openFloorSubject;
    case 'axle':
      return (await import('./axle-subject.ts')).openAxleSubject;
    case 'axle-traced':
      return (await import('./traced-subject.ts')).openTracedSubject;
    case 'axle-followed':
      return (await import('./traced-subject.ts')).openFollowedSubject;
    case 'ai-sdk':
    case 'lang-graph':
      return peerOpener(await import(new URL(`./peers/${subject}.mjs`, import.meta.url).href));
  }
}

const openFloorSubject: SubjectOpener = async (spec, load, path) => {
  const floor = openFloor(path, createPages(load.turns * load.runs), spec.durability === 'strict');
  return {
    run: (index) => floor.run(index, load.turns),
    counters: () => ({ commits: floor.commits }),
    close: async () => floor.close(),
  };
};

/** Peers are JavaScript beside a lock file of their own; they are handed everything that is the same for all. */
interface PeerModule {
  open(given: Readonly<Record<string, unknown>>): Promise<OpenSubject>;
}

function peerOpener(loaded: unknown): SubjectOpener {
  if (!isPeerModule(loaded)) throw new Error('A peer exports a function open.');
  return (spec, load, path) => {
    const tool = spec.effect === 'read' ? pageTool : noteTool;
    return loaded.open({
      path,
      turns: load.turns,
      tool,
      instructions,
      question,
      model: createModel(load.turns, tool.name),
      readPage: createPages(load.turns * load.runs),
    });
  };
}

function isPeerModule(value: unknown): value is PeerModule {
  return typeof value === 'object' && value !== null && 'open' in value && typeof value.open === 'function';
}
