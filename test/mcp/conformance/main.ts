/**
 * `npm run conformance`: the protocol's own suite against Axle's MCP client.
 *
 *     npm run conformance                  the stable release; ends with 1 when a supported scenario fails
 *     npm run -s conformance -- --json     the same as one JSON value
 *     npm run conformance -- --next        the next release, for information: installed in test/mcp/conformance/next
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { reasonAgainst, supported } from './scenarios.ts';
import { clientScenarios, runScenario, type ScenarioResult, stableSuite } from './suite.ts';

const flags = new Set(process.argv.slice(2));
const unknown = [...flags].find((flag) => flag !== '--json' && flag !== '--next');
if (unknown !== undefined) {
  process.stderr.write(`npm run conformance has no option ${unknown}; it has --json and --next.\n`);
  process.exit(2);
}

const suite = flags.has('--next') ? nextSuite() : stableSuite;
const scenarios = await clientScenarios(suite);
const results: ScenarioResult[] = [];
for (const scenario of scenarios.filter((one) => supported.has(one))) {
  const result = await runScenario(suite, scenario);
  results.push(result);
  tell(`${result.passed ? 'passed' : 'FAILED'}  ${scenario}  ${result.checks.passed} of ${result.checks.total} checks`);
  if (!result.passed) tell(result.said);
}
const others = scenarios.filter((one) => !supported.has(one));
for (const scenario of others) {
  tell(`not supported  ${scenario}: ${reasonAgainst(scenario) ?? 'nobody has judged it yet'}`);
}
if (flags.has('--json')) {
  const told = results.map(({ scenario, passed, checks }) => ({ scenario, passed, checks }));
  const unsupported = others.map((scenario) => ({ scenario, reason: reasonAgainst(scenario) ?? null }));
  process.stdout.write(`${JSON.stringify({ results: told, unsupported })}\n`);
}
process.exitCode = results.length > 0 && results.every((result) => result.passed) ? 0 : 1;

function tell(line: string): void {
  (flags.has('--json') ? process.stderr : process.stdout).write(`${line}\n`);
}

function nextSuite(): string {
  const folder = fileURLToPath(new URL('next/', import.meta.url));
  const program = `${folder}node_modules/@modelcontextprotocol/conformance/dist/index.js`;
  if (!existsSync(program)) {
    const words = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    const { status } = spawnSync('npm', words, { cwd: folder, stdio: 'inherit' });
    if (status !== 0) throw new Error(`npm ci in ${folder} failed`);
  }
  return program;
}
