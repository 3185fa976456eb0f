/**
 * Rules about what providers refuse in the schema of a tool. One refused tool fails the whole request, with every other tool in it.
 *
 * Sources: the errors "input_schema does not support oneOf, allOf, or anyOf at the top level" (Anthropic) and "schema must have type 'object' and not have
 * 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level" (OpenAI); the OpenAI guide to structured outputs for what strict mode lacks and its limits;
 * the Gemini API reference for its subset of OpenAPI 3.0.
 */
import type { Contract } from '../contract.ts';
import { schemasInside } from './schema-walk.ts';
import type { Found, Provider, ToolRule } from './rule.ts';

const combinators = ['anyOf', 'oneOf', 'allOf'] as const;
const refusedAtRoot: readonly (readonly [provider: Provider, keywords: readonly string[]])[] = [
  ['anthropic', combinators],
  ['openai', [...combinators, 'enum', 'not']],
];
/** Not taken by OpenAI where a tool is declared strict. */
const notStrict = [
  'allOf',
  'not',
  'dependentRequired',
  'dependentSchemas',
  'if',
  'then',
  'else',
  'patternProperties',
  'propertyNames',
];
/** Not part of what Gemini takes as the parameters of a function. */
const notForGemini = [
  '$dynamicRef',
  'if',
  'then',
  'else',
  'not',
  'patternProperties',
  'dependentSchemas',
  'dependentRequired',
  'unevaluatedProperties',
  'contains',
];
/** OpenAI takes so many values of enums over one schema. */
const mostEnumValues = 1_000;

export const providerRules: readonly ToolRule[] = [
  {
    id: 'root-not-an-object',
    severity: 'error',
    about: 'a keyword at the root of the arguments for which providers refuse the whole request',
    check: ({ input }) =>
      refusedAtRoot.flatMap(([provider, keywords]) =>
        keywords
          .filter((keyword) => input.json[keyword] !== undefined)
          .map((keyword): Found => ({
            at: `/${keyword}`,
            provider,
            message: `${keyword} stands at the root of the arguments.`,
            remedy: 'Move the alternatives into a property, or check them in execute and say so in the description.',
          })),
      ),
  },
  {
    id: 'root-without-type',
    severity: 'error',
    about: 'the arguments do not say that they are an object',
    check: ({ input }) =>
      input.json['type'] === 'object'
        ? []
        : [
            {
              at: '/type',
              message: `The type at the root of the arguments is ${JSON.stringify(input.json['type'] ?? null)}.`,
              remedy: "Declare type: 'object'.",
            },
          ],
  },
  keywordRule({
    id: 'strict-mode-lacks',
    provider: 'openai',
    keywords: notStrict,
    why: 'OpenAI refuses it where the tool is declared strict',
  }),
  keywordRule({ id: 'gemini-lacks', provider: 'google', keywords: notForGemini, why: 'Gemini refuses or ignores it' }),
  {
    id: 'pattern-not-portable',
    severity: 'advice',
    about: 'a pattern with look-around or back-references, which the regular expressions of providers do not have',
    check: (contract) =>
      inside(contract).flatMap(({ schema, at }): readonly Found[] => {
        const { pattern } = schema;
        return typeof pattern === 'string' && /\(\?[=!<]|\\[1-9]/.test(pattern)
          ? [
              {
                at: `${at}/pattern`,
                message: `The pattern ${JSON.stringify(pattern)} uses look-around or a back-reference.`,
                remedy: 'Write it without, or check it in execute.',
              },
            ]
          : [];
      }),
  },
  {
    id: 'enum-too-large',
    severity: 'warning',
    about: 'more listed values than a provider takes',
    check: (contract) => {
      const count = inside(contract).reduce(
        (sum, { schema }) => sum + (Array.isArray(schema['enum']) ? schema['enum'].length : 0),
        0,
      );
      return count <= mostEnumValues
        ? []
        : [
            {
              at: 'input',
              provider: 'openai',
              message: `Its enums list ${count} values; OpenAI takes ${mostEnumValues}.`,
              remedy: 'Take a text, and offer a tool that searches the values.',
            },
          ];
    },
  },
];

interface LackingKeywords {
  readonly id: string;
  readonly provider: Provider;
  readonly keywords: readonly string[];
  readonly why: string;
}

function keywordRule({ id, provider, keywords, why }: LackingKeywords): ToolRule {
  return {
    id,
    severity: 'advice',
    about: `${why}: ${keywords.join(', ')}`,
    check: (contract) => {
      const found = new Map<string, string>();
      for (const { schema, at } of inside(contract)) {
        for (const keyword of keywords) {
          if (Object.hasOwn(schema, keyword) && !isProperties(at)) found.set(keyword, found.get(keyword) ?? at);
        }
      }
      return [...found].map(([keyword, at]) => ({
        at: `${at}/${keyword}`,
        provider,
        message: `The schema uses ${keyword}: ${why}.`,
        remedy: 'Say it in the description and check it in execute.',
      }));
    },
  };
}

/** An object of named schemas, whose keys are names and no keywords. */
function isProperties(at: string): boolean {
  return /\/(?:properties|\$defs|definitions|patternProperties|dependentSchemas)$/.test(at);
}

function inside({ input }: Contract): readonly { readonly schema: Contract['input']['json']; readonly at: string }[] {
  return [...schemasInside(input.json)];
}
