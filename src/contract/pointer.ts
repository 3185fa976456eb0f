/** JSON Pointers (RFC 6901), the paths in repairs and messages. */

/** The pointer to a member of the place that `parent` points to. */
export function pointerTo(parent: string, member: string | number): string {
  return `${parent}/${String(member).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** The members that a pointer names, from the top. */
export function pointerMembers(pointer: string): readonly string[] {
  if (pointer === '') return [];
  return pointer
    .slice(1)
    .split('/')
    .map((member) => member.replaceAll('~1', '/').replaceAll('~0', '~'));
}
