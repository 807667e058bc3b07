// What the site shows at its side, in order: the path of each page, or its address.
export interface Group {
  readonly title: string;
  readonly pages: readonly (readonly [path: string, label: string])[];
}

export const NAVIGATION: readonly Group[] = [
  {
    title: 'Start',
    pages: [
      ['docs/README.md', 'All pages'],
      ['README.md', 'What Parley is'],
      ['docs/tutorial.md', 'Tutorial'],
      ['docs/moving.md', 'Moving to Parley'],
      ['docs/glossary.md', 'Glossary'],
    ],
  },
  {
    title: 'Flows',
    pages: [
      ['docs/flow-language.md', 'Flow language'],
      ['apps/flow-builder/REFERENCE.md', 'Flow reference'],
      ['docs/spoken-answers.md', 'Spoken answers'],
      ['docs/branches-without-a-model.md', 'Branches without a model'],
      ['docs/why.md', 'Why a bot said something'],
      ['docs/flows-as-code.md', 'Flows as code'],
      ['docs/importers.md', 'Importers'],
      ['docs/openai.md', 'Voice platforms'],
      ['docs/providers.md', 'Model providers'],
      ['docs/mcp.md', 'Assistants (MCP)'],
    ],
  },
  {
    title: 'Products',
    pages: [
      ['docs/voice-api.md', 'Voice API'],
      ['docs/notifications.md', 'Notifications'],
      ['docs/inbox.md', 'Inbox'],
      ['docs/portal.md', 'Portal'],
      ['docs/first-mails.md', 'First mails'],
      ['docs/console.md', 'Console'],
      ['docs/people.md', 'People and rights'],
      ['docs/sign-in.md', 'Sign in with an identity provider'],
      ['docs/sdk.md', 'SDKs'],
      ['docs/declare.md', 'Declare what you have'],
    ],
  },
  {
    title: 'API references',
    pages: [
      ['api/flow-builder.html', 'Flow builder'],
      ['api/voice-api.html', 'Voice API'],
      ['api/notifications.html', 'Notifications'],
    ],
  },
  {
    title: 'Operate',
    pages: [
      ['docs/platform.md', 'Platform'],
      ['k8s/README.md', 'Kubernetes and Helm'],
      ['k8s/OPERATIONS.md', 'Operations'],
      ['docs/versions.md', 'Versions'],
      ['docs/regions.md', 'Regions'],
      ['docs/runbooks.md', 'Runbooks'],
      ['docs/recovery.md', 'Recovery'],
      ['docs/scale.md', 'Scale'],
      ['docs/reliability.md', 'Reliability'],
      ['docs/performance.md', 'Performance'],
    ],
  },
  {
    title: 'Change it',
    pages: [
      ['.github/CONTRIBUTING.md', 'Contributing'],
      ['docs/house.md', 'Size of the house'],
      ['CHANGELOG.md', 'Changelog'],
    ],
  },
];
