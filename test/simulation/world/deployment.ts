/** Which versions of which tools each process has, as people change them while runs are under way. What a place has, its next life starts with. */
import { isAxleError } from '../../../src/error/axle-error.ts';
import type { Axle } from '../../../src/facade/axle.ts';
import type { Change } from '../scenario/scenario.ts';
import type { Form, Toolbox } from './tools.ts';

const formsAfter: Readonly<Record<Change['what'], readonly Form[]>> = {
  beside: ['first', 'second'],
  replace: ['second'],
  remove: [],
  odd: ['odd'],
};

export class Deployment {
  readonly #tools: readonly string[];
  readonly #forms = new Map<string, readonly Form[]>();

  /** @param tools The names of all that processes may have */
  constructor(tools: readonly string[]) {
    this.#tools = tools;
  }

  /** Notes what a place has from now on. */
  change(place: number, { tool, what }: Change): void {
    this.#forms.set(`${place} ${tool}`, formsAfter[what]);
  }

  /** The versions that a place has of a tool: the first, while nobody has changed it. */
  formsOf(place: number, tool: string): readonly Form[] {
    return this.#forms.get(`${place} ${tool}`) ?? ['first'];
  }

  /** Brings a process to what its place has; nothing happens to one that has it already, or that is closing. */
  bring(axle: Axle, toolbox: Toolbox, place: number): void {
    try {
      this.#bring(axle, toolbox, place);
    } catch (error) {
      if (!isAxleError(error, 'closed')) throw error;
    }
  }

  #bring(axle: Axle, toolbox: Toolbox, place: number): void {
    for (const tool of this.#tools) {
      const wanted = this.formsOf(place, tool).map((form) => toolbox.contract(tool, form));
      const has = axle.tools.list().filter(({ name, isRetained }) => name === tool && !isRetained);
      const added = wanted.filter(({ pin }) => has.every(({ hash }) => hash !== pin.hash));
      if (added.length > 0) axle.tools.replace(added, { retain: false });
      for (const { version } of has) {
        if (wanted.every((contract) => contract.version !== version)) axle.tools.remove(tool, version);
      }
    }
  }
}
