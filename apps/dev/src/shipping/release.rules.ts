// What a release must agree on, and its notes. Pure.
export interface ReleaseFiles {
  readonly version: string;
  readonly changelog: string;
  /** Versions by the file that says them. */
  readonly versions: Readonly<Record<string, string | undefined>>;
}

/** Sentences that name what to change. Only a tag needs a chapter of its own in the changelog. */
export function releaseProblems({ version, changelog, versions }: ReleaseFiles, isTag: boolean): string[] {
  const wrong = Object.entries(versions)
    .filter(([, other]) => other !== version)
    .map(([file, other]) => `${file} says ${other ?? 'no version'}, and package.json ${version}.`);
  const chapter =
    notesOf(changelog, isTag ? version : 'Unreleased') ?? (isTag ? null : notesOf(changelog, version));
  return chapter === null
    ? [...wrong, `CHANGELOG.md has no chapter "## ${version}". Move "Unreleased" there.`]
    : wrong;
}

/** The chapter of a version, with its heading; null without one. */
export function notesOf(changelog: string, version: string): string | null {
  const chapters = changelog.split(/^(?=## )/m);
  return chapters.find((chapter) => /^## (\S+)/.exec(chapter)?.[1] === version) ?? null;
}
