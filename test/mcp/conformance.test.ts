/** The protocol's own conformance suite judges Axle's client by what it sends (I3). */
import { describe, expect, test } from 'vitest';
import { reasonAgainst, supported } from './conformance/scenarios.ts';
import { clientScenarios, runScenario, stableSuite } from './conformance/suite.ts';

const scenarios = await clientScenarios(stableSuite);

test('every client scenario of the suite is supported, or named with the reason why not', () => {
  expect(scenarios.length).toBeGreaterThanOrEqual(25);
  const unjudged = scenarios.filter((scenario) => !supported.has(scenario) && reasonAgainst(scenario) === undefined);
  expect(unjudged).toEqual([]);
});

describe('the stable suite', () => {
  const run = scenarios.filter((scenario) => supported.has(scenario));

  test('has scenarios for what is supported', () => {
    expect(run).toEqual(['initialize', 'tools_call', 'sse-retry']);
  });

  test.for(run)('%s passes', { timeout: 60_000 }, async (scenario) => {
    const result = await runScenario(stableSuite, scenario);
    expect(result.said).toContain('OVERALL: PASSED');
    expect(result).toMatchObject({ passed: true });
    expect(result.checks.passed).toBe(result.checks.total);
    expect(result.checks.total).toBeGreaterThan(0);
  });
});
