/** The part of an OpenAPI document that `{ $ref: '#/…' }` names; any other part is itself. */
export function resolveReference<Part extends object>(
  document: object,
  part: Part | { readonly $ref: string },
): Part {
  if (!('$ref' in part)) return part;
  const steps = part.$ref.slice('#/'.length).split('/');
  return steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], document) as Part;
}
