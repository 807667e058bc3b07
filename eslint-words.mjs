// Rules for how code reads: the width of comments, the words of comments, the names of types.

import { findOddWords } from './odd-words.mjs';

const COMMENT_COLUMNS_MAX = 100;

/** Types are nouns. */
const PARTICIPLES = new Set(
  'Told Said Asked Taken Heard Kept Shown Meant Whose Company Desk Room Rung Ringing Left'.split(' '),
);

/** Lines of a comment with their place in the file. */
function linesOf(comment, source) {
  const { start, end } = comment.loc;
  return source.lines
    .slice(start.line - 1, end.line)
    .map((text, index) => ({ text, line: start.line + index }));
}

const isDirective = ({ value }) => /^\s*(?:eslint|@ts-|prettier|global\b)/.test(value);

/** A line that is longer because of a link that cannot be broken. */
const isLink = (text) => /https?:\/\/\S{60,}/.test(text);

const commentColumns = {
  meta: { type: 'layout', schema: [] },
  create: ({ sourceCode, report }) => ({
    Program() {
      for (const comment of sourceCode.getAllComments()) {
        if (isDirective(comment)) continue;
        for (const { text, line } of linesOf(comment, sourceCode)) {
          if (text.length <= COMMENT_COLUMNS_MAX || isLink(text)) continue;
          // Code with a short comment behind it is as wide as code may be.
          if (line === comment.loc.start.line && !/^\s*[/*{]/.test(text)) continue;
          report({
            loc: { line, column: COMMENT_COLUMNS_MAX },
            message: `A comment is at most ${COMMENT_COLUMNS_MAX} columns wide.`,
          });
        }
      }
    },
  }),
};

const commentWords = {
  meta: { type: 'suggestion', schema: [] },
  create: ({ sourceCode, report }) => ({
    Program() {
      for (const comment of sourceCode.getAllComments()) {
        for (const message of findOddWords(comment.value)) report({ loc: comment.loc, message });
      }
    },
  }),
};

const typeNames = {
  meta: { type: 'suggestion', schema: [] },
  create: ({ report }) => {
    const check = ({ id }) => {
      const last = /[A-Z][a-z]+$/.exec(id?.name ?? '')?.[0];
      if (last && PARTICIPLES.has(last))
        report({ node: id, message: `"${id.name}": a type is a noun (docs/glossary.md).` });
    };
    return { TSInterfaceDeclaration: check, TSTypeAliasDeclaration: check, ClassDeclaration: check };
  },
};

/** `...{ a, b },` to save lines of a literal. */
const spreadLiteral = {
  meta: { type: 'layout', schema: [] },
  create: ({ report }) => ({
    'ObjectExpression > SpreadElement > ObjectExpression': (node) =>
      report({ node, message: 'Write the members of the literal themselves.' }),
  }),
};

export default {
  rules: {
    'spread-literal': spreadLiteral,
    'comment-columns': commentColumns,
    'comment-words': commentWords,
    'type-names': typeNames,
  },
};
