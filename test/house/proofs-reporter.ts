import process from 'node:process';
import type { Reporter, TestCase, TestModule, TestSuite, Vitest } from 'vitest/node';
import { readText, root } from './imports.ts';
import { isProof, readProofs } from './proofs.ts';

/** The documents that name tests as proof, with the columns of their tables. */
export const proofDocuments = [
  { path: 'docs/requirements.md', id: 'id', proof: 'proved by' },
  { path: 'docs/architecture.md', id: 'check', proof: 'checked by' },
] as const;

/**
 * Fails a run in which a test that a document names as proof was skipped or never came up, which its source alone cannot show. Where not everything is required, a test may
 * skip itself with the reason: what it needs is not on this machine.
 */
export class ProofsReporter implements Reporter {
  #partial = false;

  onInit(vitest: Vitest): void {
    this.#partial = vitest.config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    // With a pattern of names most tests are skipped on purpose.
    if (this.#partial) return;
    const faults = proofDocuments.flatMap((document) =>
      readProofs(readText(document.path), document).proofs.flatMap((proof) => {
        const module = modules.find((each) => each.moduleId === root + proof.file);
        if (module === undefined) return [];
        const named = [...module.children.allTests()].filter((test) => isProof(titlesOf(test), proof));
        const idle = named.filter(wasSkipped);
        if (named.length > 0 && idle.length === 0) return [];
        const title = `${proof.file} › ${proof.path.join(' › ')}`;
        return [`${document.path}, ${proof.id}: ${named.length === 0 ? 'did not come up' : 'was skipped'}: ${title}`];
      }),
    );
    if (faults.length === 0) return;
    process.stderr.write(
      `\nTests that documents name as proof did not run:\n${faults.map((each) => `  ${each}\n`).join('')}`,
    );
    process.exitCode = 1;
  }
}

function wasSkipped(test: TestCase): boolean {
  const result = test.result();
  const mayLackTools = process.env['AXLE_REQUIRE'] !== 'all';
  return result.state === 'skipped' && !(mayLackTools && result.note !== undefined);
}

function titlesOf(test: TestCase): readonly string[] {
  const titles: string[] = [test.name];
  for (let parent: TestSuite | TestModule = test.parent; parent.type === 'suite'; parent = parent.parent) {
    titles.unshift(parent.name);
  }
  return titles;
}
