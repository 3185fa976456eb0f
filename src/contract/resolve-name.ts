/** From the name that a model wrote to the tool it means, when there is exactly one. */
import { cutText } from '../util/cut-text.ts';
import { bareName, nearMisses } from './near-miss.ts';

const maxListed = 20;
const maxNameLength = 200;

/** The one tool that a decorated or differently spelled name can mean. The exact name is the caller's first try. */
export function resolveName(written: string, names: readonly string[]): string | undefined {
  if (written.length > maxNameLength) return undefined;
  const plain = undecorated(written);
  if (names.includes(plain)) return plain;
  const bare = bareName(plain);
  const alike = names.filter((name) => bareName(name) === bare);
  return alike.length === 1 ? alike[0] : undefined;
}

/** Without the quotes, name spaces, brackets and control tokens that models put around a name. */
function undecorated(written: string): string {
  return written
    .replace(/<\|[^]*$/, '')
    .trim()
    .replace(/^[`'"]+|[`'"]+$/g, '')
    .replace(/^(?:functions|function|tools|tool|default_api)[.:/]/, '')
    .replace(/\(\s*\)$/, '')
    .trim();
}

/** What the model is told about a name that means no tool: the tools there are, the likely ones first. */
export function unknownToolText(written: string, names: readonly string[]): string {
  const near = nearMisses(written.slice(0, maxNameLength), names);
  const listed = [...new Set([...near, ...names])];
  const shown = listed.slice(0, maxListed).join(', ');
  const more = listed.length > maxListed ? ` and ${listed.length - maxListed} more` : '';
  const tools = listed.length === 0 ? 'There are no tools to use now.' : `Tools that exist: ${shown}${more}.`;
  return `No tool has the name ${JSON.stringify(cutText(written, 80))}. ${tools}`;
}
