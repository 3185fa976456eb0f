/**
 * The files of a new project: one tool with its contract, one agent, a model that needs no key, and a test. Whoever reads them sees how a project of their own looks.
 *
 * N1 Everything runs as it is, offline; with a key in the environment a real model answers.
 * N2 The texts are programs: a test makes a project of them, has the compiler look at it, and runs it.
 */
import { shellWord } from '../command-text.ts';
import { projectManifest, type ProjectOptions } from './project-manifest.ts';

/** What a newcomer asks the agent first. */
export const firstInput = 'Remember to buy milk tomorrow.';

/** The text of each file, by its path in the project. */
export function projectFiles(options: ProjectOptions): ReadonlyMap<string, string> {
  return new Map([
    ['package.json', `${JSON.stringify(projectManifest(options), undefined, 2)}\n`],
    ['axle.config.ts', config],
    ['keeper.ts', keeper],
    ['save-note.ts', saveNote],
    ['model.ts', model],
    ['save-note.test.ts', test],
    ['tsconfig.json', compilerSettings],
    ['.gitignore', ignored],
    ['README.md', readme(options)],
  ]);
}

const config = `import { defineConfig } from 'axle';
import { keeper } from './keeper.ts';
import { chooseModel } from './model.ts';
import { saveNote } from './save-note.ts';

export default defineConfig({
  store: 'axle.db',
  tools: [saveNote('notes')],
  agents: [keeper(await chooseModel())],
});
`;

const keeper = `import { agent, type AgentDeclaration } from 'axle';

/** The agent: a model, its instructions, and the tools that it may use. */
export function keeper(model: AgentDeclaration['model']) {
  return agent({
    name: 'keeper',
    model,
    instructions: 'You keep the notes of your user. Save what they want remembered, then confirm it in one sentence.',
    tools: ['save_note'],
    budget: { steps: 10, time: '2m' },
  });
}
`;

const saveNote = `import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tool } from 'axle';
import { z } from 'zod';

/** The tool: its contract says what arguments it takes, what it gives back, and what may be done when a call fails. */
export function saveNote(folder: string) {
  return tool({
    name: 'save_note',
    description: 'Saves a note. Use it when the user wants something remembered.',
    input: z.object({
      text: z.string().min(1).max(2000).describe('What is to be remembered, in the words of the user.'),
      dueInDays: z.int().min(0).max(365).optional().describe('In how many days it is due; left out when it is not.'),
    }),
    output: z.object({ file: z.string() }),
    effect: 'idempotent', // the same key twice is one note, so a call that failed or was cut off is simply made again
    timeout: '5s',
    execute: async ({ text, dueInDays }, context) => {
      const file = join(folder, \`\${context.idempotencyKey}.md\`);
      const due = dueInDays === undefined ? '' : \`Due in \${dueInDays} day(s).\\n\`;
      await mkdir(folder, { recursive: true });
      await writeFile(file, \`\${text}\\n\${due}\`, { signal: context.signal });
      context.log('saved a note', { file });
      return { file };
    },
  });
}
`;

const model = `import type { AgentDeclaration } from 'axle';
import { scriptedBrain } from 'axle/testing';

/** The model: a real one when the environment names one or has a key, else a script that needs neither key nor network. */
export async function chooseModel(): Promise<AgentDeclaration['model']> {
  const { AXLE_MODEL, OPENAI_API_KEY, ANTHROPIC_API_KEY } = process.env;
  const standard = OPENAI_API_KEY ? 'openai/gpt-5' : ANTHROPIC_API_KEY ? 'anthropic/claude-sonnet-4-5' : '';
  const [provider = '', ...rest] = (AXLE_MODEL || standard).split('/');
  const name = rest.join('/');
  switch (provider) {
    case '':
      return script;
    case 'openai':
      return (await import('@ai-sdk/openai')).openai(name);
    case 'anthropic':
      return (await import('@ai-sdk/anthropic')).anthropic(name);
    default:
      throw new Error(\`AXLE_MODEL is \${AXLE_MODEL}; write openai/<model> or anthropic/<model>.\`);
  }
}

/** Saves whatever it is asked. It writes a number as a text, as models do: the call is repaired before it runs, and the journal says so. */
const script = scriptedBrain(({ items }) => {
  if (items.at(-1)?.kind === 'results') return 'I have saved your note.';
  const asked = items.findLast((item) => item.kind === 'user');
  return { text: 'I save that.', calls: [{ name: 'save_note', input: { text: asked?.text ?? '', dueInDays: '1' } }] };
});
`;

const test = `import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createAxle } from 'axle';
import { scriptedBrain } from 'axle/testing';
import { keeper } from './keeper.ts';
import { saveNote } from './save-note.ts';

test('what is to be remembered is saved once, also when the model writes a number as a text', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'notes-'));
  t.after(() => rm(folder, { recursive: true }));
  const model = scriptedBrain([
    { calls: [{ name: 'save_note', input: { text: 'Buy milk.', dueInDays: '1' } }] },
    'I have saved your note.',
  ]);
  await using axle = await createAxle({ store: ':memory:', tools: [saveNote(folder)], agents: [keeper(model)] });
  const run = await axle.start('keeper', { input: 'Remember to buy milk tomorrow.' });
  assert.equal((await run.result()).status, 'completed');
  const [note = '', ...others] = await readdir(folder);
  assert.deepEqual(others, []);
  assert.equal(await readFile(join(folder, note), 'utf8'), 'Buy milk.\\nDue in 1 day(s).\\n');
});
`;

const compilerSettings = `{
  "compilerOptions": {
    "target": "es2024",
    "lib": ["es2024", "esnext.disposable"],
    "module": "nodenext",
    "types": ["node"],
    "noEmit": true,
    "allowImportingTsExtensions": true,
    "erasableSyntaxOnly": true,
    "verbatimModuleSyntax": true,
    "strict": true,
    "skipLibCheck": true
  }
}
`;

const ignored = `node_modules/
axle.db*
notes/
`;

const readme = ({ name, axle }: ProjectOptions): string => `# ${name}

An agent that keeps notes, on [Axle](node_modules/axle/README.md). It runs as it is, with a scripted model; set \`OPENAI_API_KEY\`, \`ANTHROPIC_API_KEY\` or \`AXLE_MODEL\`
(\`openai/<model>\`, \`anthropic/<model>\`), and a real one answers.

\`\`\`sh
npm install
npx axle run keeper --input "${firstInput}"
npx axle dev --open
npm test
\`\`\`

\`axle dev\` serves the debugger. Change \`save-note.ts\` while it runs: what you save counts from the next call on.

| file | what it is |
| --- | --- |
| \`save-note.ts\` | the tool, with its contract |
| \`keeper.ts\` | the agent |
| \`model.ts\` | which model answers |
| \`axle.config.ts\` | what \`axle\` runs: all tools and agents, and where the journal is kept (\`axle.db\`) |
| \`save-note.test.ts\` | a test with a scripted model and the real tool |

Node 24 is a development dependency, so that the project runs on it whatever the machine has; where that is new enough, take \`node\` and \`allowScripts\` out of \`package.json\`.
To have the compiler look at the files: \`npm install --save-dev typescript\`, then \`npx tsc\`.
${axle.startsWith('file:') ? fromFile(axle.slice('file:'.length)) : ''}`;

/** npm looks at a path again only when it is told to. */
const fromFile = (path: string): string =>
  `Axle comes from \`${path}\`; when that has changed, \`npm install ${shellWord(path)}\` takes it in.\n`;
