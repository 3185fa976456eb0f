/** A fact with its name, in a list of facts. */
export function Pair({
  name,
  children,
}: {
  readonly name: string;
  readonly children: React.ReactNode;
}): React.ReactNode {
  return (
    <div className="pair">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
