/** The provider that the name of a model begins with, as in `openai/gpt-5`; undefined where it names none. */
export function providerOf(model: string | undefined): string | undefined {
  const end = model?.indexOf('/') ?? -1;
  return end < 0 ? undefined : model?.slice(0, end);
}
