/** Rules about what a contract promises beside its words: effect, risk, results, time, examples. */
import { exampleText } from '../describe.ts';
import { parametersOf } from './schema-walk.ts';
import type { ToolRule } from './rule.ts';
import { verbOf } from './verbs.ts';

export const promiseRules: readonly ToolRule[] = [
  {
    id: 'effect-contradicts-name',
    severity: 'error',
    about: 'declared as a read, and the name says that it changes something',
    check: (contract) => {
      const verb = verbOf(contract);
      return contract.effect === 'read' && verb?.changes === true
        ? [
            {
              at: 'effect',
              message: `It is declared as a read, and its name says ${verb.word}.`,
              remedy: 'Declare write or idempotent: reads are repeated freely, also after a crash.',
            },
          ]
        : [];
    },
  },
  {
    id: 'effect-overstated',
    severity: 'advice',
    about: 'declared as a write, or not at all, and the name says that it only reads',
    check: (contract) => {
      const verb = verbOf(contract);
      return contract.effect === 'write' && verb?.changes === false
        ? [
            {
              at: 'effect',
              message: `It counts as a write, and its name says ${verb.word}.`,
              remedy: 'Declare effect: read if it changes nothing: reads run in parallel and are tried again.',
            },
          ]
        : [];
    },
  },
  {
    id: 'risk-understated',
    severity: 'warning',
    about: 'an effect that cannot be taken back runs without asking',
    check: (contract) => {
      const verb = verbOf(contract);
      return contract.effect !== 'read' && !contract.irreversible && contract.risk !== 'high' && verb?.isFinal === true
        ? [
            {
              at: 'risk',
              message: `Its name says ${verb.word}, and it runs without asking anybody.`,
              remedy: 'Declare irreversible: true or risk: high, or let the policy say who may.',
            },
          ]
        : [];
    },
  },
  {
    id: 'doubt-not-settled',
    severity: 'advice',
    about: 'a write that cannot find out after a crash whether it happened',
    check: (contract) =>
      contract.effect === 'write' && contract.verify === undefined
        ? [
            {
              at: 'verify',
              message: 'After a crash or a time-out only a person can say whether it happened.',
              remedy: 'Give it a verify, or make it idempotent with the key that it is handed.',
            },
          ]
        : [],
  },
  {
    id: 'timeout-too-short',
    severity: 'error',
    about: 'a call usually takes longer than it may',
    check: ({ expectedDurationMs, terms }) =>
      expectedDurationMs !== undefined && expectedDurationMs > terms.timeoutMs
        ? [
            {
              at: 'timeout',
              message: `It usually takes ${expectedDurationMs} ms and may take ${terms.timeoutMs} ms.`,
              remedy: 'Raise timeout to a few times expectedDuration.',
            },
          ]
        : [],
  },
  {
    id: 'result-not-declared',
    severity: 'advice',
    about: 'no output schema: a change of the upstream would go unnoticed into the conversation',
    check: ({ output }) =>
      output === undefined
        ? [
            {
              at: 'output',
              message: 'It does not say what comes back.',
              remedy: 'Declare output: results are then checked, and models know what to expect.',
            },
          ]
        : [],
  },
  {
    id: 'example-missing',
    severity: 'advice',
    about: 'arguments with a structure, and no example of them',
    check: ({ examples, input }) => {
      const parameters = parametersOf(input.json);
      return examples.length > 0 || (parameters.length <= 3 && parameters.every(({ depth }) => depth === 1))
        ? []
        : [
            {
              at: 'examples',
              message: `It takes ${parameters.length} parameters and shows no example.`,
              remedy: 'Declare an example: it is shown to the model, and again when it gets the arguments wrong.',
            },
          ];
    },
  },
  {
    id: 'example-not-shown',
    severity: 'warning',
    about: 'the first example is too long to be shown',
    check: (contract) =>
      contract.examples.length > 0 && exampleText(contract) === undefined
        ? [
            {
              at: 'examples',
              message: 'The first example is longer than 1,000 characters, so no model sees it.',
              remedy: 'Put a shorter one first.',
            },
          ]
        : [],
  },
];
