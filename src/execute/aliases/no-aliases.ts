/** The port of whoever has no aliases. */
import { ToolError } from '../../contract/tool-error.ts';
import type { AliasPort } from './aliases.ts';

export const noAliases: AliasPort = Object.freeze({
  real: async (alias: string): Promise<string> => {
    throw new ToolError({
      code: 'alias-unknown',
      class: 'fatal',
      effect: 'none',
      message: `There is no alias ${alias}; none is declared.`,
    });
  },
  conceal: (text: string): string => text,
});
