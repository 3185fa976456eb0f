/** Rules about parameters: what a model needs to know to fill them in. */
import { wordsOf } from '../tool-index.ts';
import type { Contract } from '../contract.ts';
import { type Parameter, parametersOf } from './schema-walk.ts';
import type { Found, ToolRule } from './rule.ts';

/** More named arguments than this are filled in badly. */
const mostArguments = 12;
/** Deeper objects than this are filled in badly. */
const deepest = 4;

const vagueParameters = new Set(
  'arg args data field input item obj object option options param params payload thing val value x'.split(' '),
);
const measured =
  /(?:amount|cost|delay|distance|duration|fee|height|interval|length|limit|price|size|speed|temperature|timeout|ttl|volume|weight|width)$/;
const units =
  /\b(?:ms|milliseconds?|seconds?|minutes?|hours?|days?|weeks?|bytes?|kb|mb|gb|kib|mib|cents?|usd|eur|cny|rmb|yuan|dollars?|euros?|percent|meters?|metres?|km|kilometers?|kilometres?|miles?|feet|inch(?:es)?|cm|mm|pixels?|px|celsius|fahrenheit|kelvin|degrees?|kg|kilograms?|grams?|pounds?|lbs?|litres?|liters?|items?|rows?|results?|characters?|tokens?|pages?|entries|records?|minor unit)\b|%|°|€|\$|¥/i;
const dated =
  /(?:^|[_\-. ]|(?<=[a-z]))(?:[Dd]ate|[Tt]ime|[Tt]imestamp|[Dd]eadline|[Bb]irthday|[Ss]ince|[Uu]ntil)$|(?:_at|At)$/;
const choiceWords =
  /\b(?:one of|either|allowed values?|possible values?|must be|valid (?:values?|options?))\b[^.]*(?:,|\bor\b|\|)/i;
const identifier = /(?:^|[_-])(?:id|uuid|key|ref)$|(?:Id|Uuid|Key|Ref)$/;

export const parameterRules: readonly ToolRule[] = [
  each(
    {
      id: 'parameter-not-described',
      severity: 'warning',
      about: 'a parameter has neither a description nor a name that speaks for itself',
    },
    (parameter) =>
      parameter.description === '' && (vagueParameters.has(parameter.name.toLowerCase()) || parameter.name.length < 3)
        ? [
            `${parameter.name} has no description, and the name says nothing.`,
            'Describe what goes in, with an example.',
          ]
        : undefined,
  ),
  {
    id: 'parameters-not-described',
    severity: 'advice',
    about: 'most parameters have no description',
    check: (contract) => {
      const parameters = parametersOf(contract.input.json);
      const bare = parameters.filter(({ description, schema }) => description === '' && schema['enum'] === undefined);
      return bare.length < 2 || bare.length * 2 < parameters.length
        ? []
        : [
            {
              at: 'input',
              message: `${bare.length} of ${parameters.length} parameters have no description: ${listed(bare)}.`,
              remedy: 'Say of each what it is, in which form, and what is taken when it is left out.',
            },
          ];
    },
  },
  each(
    { id: 'parameter-without-type', severity: 'warning', about: 'a parameter takes any kind of value' },
    ({ name, schema }) =>
      ['type', 'enum', 'const', 'anyOf', 'oneOf', 'allOf', '$ref', '$dynamicRef', 'not', 'if'].some(
        (keyword) => schema[keyword] !== undefined,
      )
        ? undefined
        : [`${name} says nothing of the kind of value it takes.`, 'Declare its type.'],
  ),
  each(
    { id: 'choices-not-listed', severity: 'warning', about: 'choices stand in the description and not in the schema' },
    ({ name, schema, description }) =>
      schema['type'] === 'string' &&
      schema['enum'] === undefined &&
      schema['pattern'] === undefined &&
      choiceWords.test(description)
        ? [
            `The description of ${name} names choices; the schema takes any text.`,
            'List them as enum, so that a near miss is repaired and another value is refused.',
          ]
        : undefined,
  ),
  each(
    {
      id: 'unit-not-said',
      severity: 'advice',
      about: 'a number is a measure, and neither its name nor its description says the unit',
    },
    ({ name, schema, description }) =>
      isNumber(schema['type']) && measured.test(lastWord(name)) && !units.test(description)
        ? [
            `${name} is a number without a unit.`,
            `Say the unit in the name or in the description (${name}Ms, ${name}Cents).`,
          ]
        : undefined,
  ),
  each(
    { id: 'date-form-not-said', severity: 'advice', about: 'a text is a date, and nothing says in which form' },
    ({ name, schema, description }) =>
      schema['type'] === 'string' &&
      dated.test(name) &&
      schema['format'] === undefined &&
      schema['pattern'] === undefined &&
      !/\d|iso|rfc|yyyy|format/i.test(description)
        ? [
            `${name} is a date or a time in no form that is said.`,
            'Declare format: date or date-time, or give an example in the description.',
          ]
        : undefined,
  ),
  each(
    {
      id: 'identifier-without-source',
      severity: 'advice',
      about: 'a required identifier, and nothing says where it comes from',
    },
    ({ name, isRequired, description, depth }) =>
      isRequired && depth === 1 && identifier.test(name) && description === ''
        ? [
            `${name} must be known, and nothing says from where.`,
            'Name the tool that gives it, so that the model does not make one up.',
          ]
        : undefined,
  ),
  {
    id: 'too-many-parameters',
    severity: 'advice',
    about: 'more named arguments than a model fills in well',
    check: (contract) => {
      const count = topLevel(contract).length;
      return count <= mostArguments
        ? []
        : [
            {
              at: 'input',
              message: `It takes ${count} arguments.`,
              remedy: `Split it, or group what belongs together: more than ${mostArguments} are filled in badly.`,
            },
          ];
    },
  },
  {
    id: 'parameters-too-deep',
    severity: 'advice',
    about: 'objects inside objects, deeper than a model fills in well',
    check: (contract) => {
      const deep = parametersOf(contract.input.json).find(({ depth }) => depth > deepest);
      return deep === undefined
        ? []
        : [
            {
              at: deep.at,
              message: `${deep.name} stands ${deep.depth} levels deep.`,
              remedy: 'Flatten the arguments.',
            },
          ];
    },
  },
  {
    id: 'nothing-required',
    severity: 'advice',
    about: 'a tool with an effect that requires no argument',
    check: (contract) => {
      const parameters = topLevel(contract);
      return contract.effect === 'read' || parameters.length < 2 || parameters.some(({ isRequired }) => isRequired)
        ? []
        : [
            {
              at: 'input',
              message: `None of its ${parameters.length} arguments is required, though a call has an effect.`,
              remedy: 'Require what an effect must not guess.',
            },
          ];
    },
  },
];

function topLevel(contract: Contract): readonly Parameter[] {
  return parametersOf(contract.input.json).filter(({ depth }) => depth === 1);
}

function each(
  facts: Pick<ToolRule, 'id' | 'severity' | 'about'>,
  look: (parameter: Parameter) => readonly [message: string, remedy: string] | undefined,
): ToolRule {
  return {
    ...facts,
    check: (contract) =>
      parametersOf(contract.input.json).flatMap((parameter): readonly Found[] => {
        const found = look(parameter);
        return found === undefined ? [] : [{ at: parameter.at, message: found[0], remedy: found[1] }];
      }),
  };
}

function isNumber(type: unknown): boolean {
  return type === 'number' || type === 'integer';
}

function lastWord(name: string): string {
  return wordsOf(name).at(-1) ?? '';
}

function listed(parameters: readonly Parameter[]): string {
  const names = parameters.slice(0, 8).map(({ name }) => name);
  return parameters.length > names.length
    ? `${names.join(', ')} and ${parameters.length - names.length} more`
    : names.join(', ');
}
