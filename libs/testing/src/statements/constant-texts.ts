// Finds the texts that an expression of the source can have, where they are constant.
import ts from 'typescript';

/** More alternatives than this are not worth preparing. */
const TEXTS_MAX = 200;

/** What the parameters of the functions around the expression stand for. */
type Bindings = ReadonlyMap<ts.Symbol, readonly string[]>;

/** All texts of a constant expression; null where it depends on something that is not constant. */
export function findConstantTexts(
  checker: ts.TypeChecker,
  expression: ts.Expression,
  bindings: Bindings = new Map(),
): readonly string[] | null {
  const find = (node: ts.Expression) => findConstantTexts(checker, node, bindings);
  if (ts.isStringLiteralLike(expression)) return [expression.text];
  if (ts.isNumericLiteral(expression)) return [expression.text.replaceAll('_', '')];
  if (ts.isParenthesizedExpression(expression) || ts.isAsExpression(expression))
    return find(expression.expression);
  if (ts.isSatisfiesExpression(expression)) return find(expression.expression);
  if (ts.isTemplateExpression(expression)) {
    const parts = expression.templateSpans.map((span) =>
      combine([find(span.expression), [span.literal.text]]),
    );
    return combine([[expression.head.text], ...parts]);
  }
  if (ts.isBinaryExpression(expression) && expression.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const [left, right] = [find(expression.left), find(expression.right)];
    return isNumber(checker, expression) ? add(left, right) : combine([left, right]);
  }
  if (ts.isConditionalExpression(expression)) {
    const [yes, no] = [find(expression.whenTrue), find(expression.whenFalse)];
    return yes && no && [...new Set([...yes, ...no])];
  }
  if (ts.isIdentifier(expression) || ts.isPropertyAccessExpression(expression))
    return findOfName(checker, expression, bindings) ?? findOfType(checker, expression);
  if (ts.isCallExpression(expression)) return findOfCall(checker, expression, bindings);
  if (ts.isElementAccessExpression(expression))
    return findOfMembers(checker, expression, bindings) ?? findOfType(checker, expression);
  return findOfType(checker, expression);
}

const isNumber = (checker: ts.TypeChecker, node: ts.Node) =>
  (checker.getTypeAtLocation(node).flags & ts.TypeFlags.NumberLike) !== 0;

function add(left: readonly string[] | null, right: readonly string[] | null): readonly string[] | null {
  return left && right && left.flatMap((one) => right.map((other) => String(Number(one) + Number(other))));
}

/** Every combination of the parts, in their order. */
function combine(parts: readonly (readonly string[] | null)[]): readonly string[] | null {
  let texts: readonly string[] = [''];
  for (const part of parts) {
    if (part === null || texts.length * part.length > TEXTS_MAX) return null;
    texts = texts.flatMap((text) => part.map((more) => text + more));
  }
  return texts;
}

/** What a name stands for, also where it is imported. */
function resolveSymbol(checker: ts.TypeChecker, name: ts.Node): ts.Symbol | undefined {
  const symbol = checker.getSymbolAtLocation(name);
  return symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

function findOfName(
  checker: ts.TypeChecker,
  name: ts.Identifier | ts.PropertyAccessExpression,
  bindings: Bindings,
): readonly string[] | null {
  const symbol = resolveSymbol(checker, name);
  if (!symbol) return null;
  const bound = bindings.get(symbol);
  if (bound) return bound;
  const declaration = symbol.valueDeclaration;
  const isConstant =
    declaration !== undefined &&
    ((ts.isVariableDeclaration(declaration) && ts.isVariableDeclarationList(declaration.parent)
      ? (declaration.parent.flags & ts.NodeFlags.Const) !== 0
      : false) ||
      ts.isPropertyAssignment(declaration));
  if (!isConstant) return null;
  const { initializer } = declaration as ts.VariableDeclaration | ts.PropertyAssignment;
  return initializer ? findConstantTexts(checker, initializer, bindings) : null;
}

/** `lists.join(', ')` of a constant list, and calls of functions that only build a text. */
function findOfCall(
  checker: ts.TypeChecker,
  call: ts.CallExpression,
  bindings: Bindings,
): readonly string[] | null {
  if (ts.isPropertyAccessExpression(call.expression) && call.expression.name.text === 'join') {
    const [separator] = call.arguments[0]
      ? (findConstantTexts(checker, call.arguments[0], bindings) ?? [])
      : [','];
    const items = findItems(checker, call.expression.expression, bindings);
    if (items === null || separator === undefined) return null;
    return combine(items.flatMap((item, index) => (index === 0 ? [item] : [[separator], item])));
  }
  const declaration = checker.getResolvedSignature(call)?.declaration;
  if (!declaration || !ts.isFunctionLike(declaration) || !('body' in declaration) || !declaration.body)
    return null;
  const result = findResult(declaration.body);
  if (result === null) return null;
  const inner = new Map(bindings);
  for (const [index, { name, initializer }] of declaration.parameters.entries()) {
    const symbol = checker.getSymbolAtLocation(name);
    const given = call.arguments[index] ?? initializer;
    const texts = given ? findConstantTexts(checker, given, bindings) : null;
    if (symbol && texts) inner.set(symbol, texts);
  }
  return findConstantTexts(checker, result, inner);
}

/** The expression that a function returns, where it does nothing else. */
function findResult(body: ts.ConciseBody): ts.Expression | null {
  if (!ts.isBlock(body)) return body;
  const last = body.statements.at(-1);
  const onlyConstants = body.statements.slice(0, -1).every((statement) => ts.isVariableStatement(statement));
  return onlyConstants && last && ts.isReturnStatement(last) ? (last.expression ?? null) : null;
}

function findItems(
  checker: ts.TypeChecker,
  expression: ts.Expression,
  bindings: Bindings,
): (readonly string[] | null)[] | null {
  if (ts.isAsExpression(expression)) return findItems(checker, expression.expression, bindings);
  if (ts.isArrayLiteralExpression(expression)) {
    if (expression.elements.length === 0) return null; // filled at run time
    const items = expression.elements.map((element) =>
      ts.isSpreadElement(element)
        ? findItems(checker, element.expression, bindings)
        : [findConstantTexts(checker, element, bindings)],
    );
    return items.includes(null) ? null : items.flatMap((list) => list!);
  }
  // Of a list that is made at run time, its type may still say every item: a tuple of literals.
  const type = checker.getTypeAtLocation(expression);
  if (checker.isTupleType(type)) {
    const items = checker.getTypeArguments(type as ts.TypeReference);
    return items.every((item) => item.isStringLiteral()) ? items.map((item) => [item.value]) : null;
  }
  if (ts.isCallExpression(expression)) return findMapped(checker, expression, bindings);
  const constant = findConstant(checker, expression);
  return constant && findItems(checker, constant, bindings);
}

/** `names.map((name) => text)` of a constant list. */
function findMapped(
  checker: ts.TypeChecker,
  call: ts.CallExpression,
  bindings: Bindings,
): (readonly string[] | null)[] | null {
  const [work] = call.arguments;
  if (!ts.isPropertyAccessExpression(call.expression) || call.expression.name.text !== 'map') return null;
  if (!work || !ts.isArrowFunction(work) || ts.isBlock(work.body)) return null;
  const [item, index] = work.parameters.map(({ name }) => checker.getSymbolAtLocation(name));
  const { body } = work;
  return (
    findItems(checker, call.expression.expression, bindings)?.map((texts, at) => {
      const inner = new Map(bindings);
      if (item && texts) inner.set(item, texts);
      if (index) inner.set(index, [String(at)]);
      return findConstantTexts(checker, body, inner);
    }) ?? null
  );
}

/** `texts[name]` can be every member of a constant object. */
function findOfMembers(
  checker: ts.TypeChecker,
  { expression }: ts.ElementAccessExpression,
  bindings: Bindings,
): readonly string[] | null {
  const object = findConstant(checker, expression);
  if (!object || !ts.isObjectLiteralExpression(object)) return null;
  const members = object.properties.map((property) =>
    ts.isPropertyAssignment(property) ? findConstantTexts(checker, property.initializer, bindings) : null,
  );
  return members.includes(null) ? null : members.flatMap((texts) => texts!);
}

/** What a constant was declared with, without `as const`. */
function findConstant(checker: ts.TypeChecker, name: ts.Expression): ts.Expression | null {
  if (!ts.isIdentifier(name)) return null;
  const declaration = resolveSymbol(checker, name)?.valueDeclaration;
  if (!declaration || !ts.isVariableDeclaration(declaration) || !declaration.initializer) return null;
  let value = declaration.initializer;
  while (ts.isAsExpression(value) || ts.isSatisfiesExpression(value) || ts.isParenthesizedExpression(value))
    value = value.expression;
  return value;
}

/** A union of string literals names all its texts; of a number, any will do. */
function findOfType(checker: ts.TypeChecker, expression: ts.Expression): readonly string[] | null {
  if (isNumber(checker, expression)) return ['1'];
  const type = checker.getTypeAtLocation(expression);
  const types = type.isUnion() ? type.types : [type];
  return types.every((one) => one.isStringLiteral()) ? types.map((one) => one.value) : null;
}
