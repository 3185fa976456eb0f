/**
 * Every repair that Axle makes, by name. What is not in this list is not done.
 *
 * Precision goes before recall: a rule stands here because what it makes of the text is the only thing that the text can mean.
 * Where that is certain only in all likelihood, `sideEffects` is false: good enough to read something, never to change something.
 */

export interface RepairRuleDescription {
  readonly what: string;
  /** Whether the rule is also used for tools that have a side effect. */
  readonly sideEffects: boolean;
}

export const repairRules = {
  // The call itself
  'text-call': {
    what: 'a call that the model wrote in its text, marked as a call and at the end, or with nothing beside it',
    sideEffects: true,
  },
  'text-call-beside-text': {
    what: 'a call in a text with words after it',
    sideEffects: false,
  },

  // The name of the tool
  'tool-name': {
    what: 'a decorated or differently spelled name that exactly one tool can be meant by',
    sideEffects: true,
  },

  // Around the text
  'byte-order-mark': { what: 'a byte order mark before the arguments', sideEffects: true },
  'code-fence': { what: 'a code fence, backticks or the word json around one object', sideEffects: true },
  'call-wrapper': { what: 'arguments written as tool({...}) with the own name of the tool', sideEffects: true },
  'foreign-call-wrapper': { what: 'arguments written as name({...}) with another name', sideEffects: false },
  'call-object': {
    what: 'the arguments inside of an object that names the call, with the own name of the tool',
    sideEffects: true,
  },
  'text-before': { what: 'words before the object', sideEffects: false },
  'text-after': { what: 'words after the object', sideEffects: false },
  'end-token': { what: 'a token or tag with which models end a call, after the object', sideEffects: true },
  'semicolon-after': { what: 'a semicolon after the object', sideEffects: true },
  'closing-after': { what: 'closing brackets after the object', sideEffects: false },
  'empty-placeholder': { what: 'an empty object before the real one', sideEffects: true },
  'empty-arguments': { what: 'no text, or null, for a tool that requires nothing', sideEffects: true },
  'double-encoded': { what: 'the object as JSON text inside a JSON string', sideEffects: true },
  'array-around': { what: 'the object as the only item of an array', sideEffects: true },

  // Inside the text
  'unusual-space': { what: 'white space that JSON does not know', sideEffects: true },
  comment: { what: 'a comment between values', sideEffects: true },
  'trailing-comma': { what: 'a comma after the last member', sideEffects: true },
  'missing-comma': { what: 'no comma between two members', sideEffects: true },
  'missing-comma-between-numbers': { what: 'no comma between two numbers of an array', sideEffects: false },
  'missing-comma-after-text': { what: 'no comma between a text and the next key', sideEffects: false },
  'typographic-quotes': { what: 'typographic quotes around a key or text', sideEffects: true },
  'single-quotes': { what: 'single quotes around a key or text', sideEffects: true },
  'unquoted-key': { what: 'a key without quotes', sideEffects: true },
  'python-literal': { what: 'True, False or None, TRUE, FALSE or NULL', sideEffects: true },
  'number-form': { what: 'a number such as .5, +5 or 0x1F', sideEffects: true },
  'trailing-point': { what: 'a number that ends with its point', sideEffects: false },
  'leading-zero': { what: 'a number with zeros before it', sideEffects: false },
  'control-character': { what: 'a raw line break, tab or other control character in a text', sideEffects: true },
  'lone-backslash': { what: 'a backslash before a character that needs none, kept', sideEffects: true },
  'escaped-apostrophe': { what: 'a backslash before an apostrophe that needs none, dropped', sideEffects: false },
  'inner-quotes': { what: 'quotes in a text that are not escaped', sideEffects: false },
  'duplicate-key': { what: 'a key twice with the same value', sideEffects: true },

  // Guided by the schema
  'string-to-boolean': { what: 'the text true or false where only a boolean fits', sideEffects: true },
  'string-to-number': { what: 'the text of exactly one number where only a number fits', sideEffects: true },
  'string-to-array': { what: 'the text of an array where only an array fits', sideEffects: true },
  'string-to-object': { what: 'the text of an object where only an object fits', sideEffects: true },
  'number-to-string': { what: 'a number where only a text fits, digit by digit as it was written', sideEffects: true },
  'null-to-absent': { what: 'null for an optional that does not admit null', sideEffects: true },
  'null-to-default': { what: 'null for an optional that has a default and does not admit null', sideEffects: true },
  'number-with-unit': {
    what: 'a number with its unit as a text, where only a number fits and the parameter is named after the same unit',
    sideEffects: true,
  },
  'date-form': {
    what: 'another form of exactly one day where the format is date, as 2026/11/29 or 29 Nov 2026',
    sideEffects: true,
  },
  'date-time-form': {
    what: 'another form of exactly one instant, its time zone included, where the format is date-time',
    sideEffects: true,
  },
  'enum-case': { what: 'a listed value in other case', sideEffects: true },
  'enum-spelling': { what: 'a listed value in another spelling: case and separators', sideEffects: true },
  'enum-typo': { what: 'a listed value with one letter wrong', sideEffects: false },
  'key-spelling': { what: 'a key in another spelling: case and separators', sideEffects: true },
  'key-typo': { what: 'a required key with one letter wrong', sideEffects: false },
  'unknown-key': { what: 'a key that the tool does not know, dropped', sideEffects: false },
  'unknown-null-key': { what: 'a key that the tool does not know and whose value is null, dropped', sideEffects: true },
} as const satisfies Record<string, RepairRuleDescription>;

export type RepairRule = keyof typeof repairRules;
