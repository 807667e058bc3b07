// The three questions as adaptive dialogs of the Bot Framework, in process: a recognizer, memory
// storage and the dialog manager, as its samples combine them. The first argument is the folder
// in which it is installed, the second what each turn says.
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [folder, given] = process.argv.slice(2);
const load = createRequire(join(folder, 'package.json'));
const { BotAdapter, ConversationState, MemoryStorage, TurnContext, UserState } = load('botbuilder');
const { DialogManager } = load('botbuilder-dialogs');
const { ActivityTemplate, AdaptiveDialog, IfCondition, NumberInput, OnBeginDialog, SendActivity, TextInput } =
  load('botbuilder-dialogs-adaptive');
const { TemplateEngineLanguageGenerator } = load('botbuilder-dialogs-adaptive');
const SAYS = ['hello', 'Ada', '7', 'saver'];
const said = JSON.parse(given);

const ask = (input, property, prompt) =>
  input.configure({ property, prompt: new ActivityTemplate(prompt), allowInterruptions: false });
const say = (text) => new SendActivity(text);
const root = new AdaptiveDialog('root').configure({
  generator: new TemplateEngineLanguageGenerator(),
  triggers: [
    new OnBeginDialog([
      say('Welcome.'),
      ask(new TextInput(), 'conversation.name', 'What is your name?'),
      ask(new NumberInput(), 'conversation.seats', 'How many seats, ${conversation.name}?'),
      ask(new TextInput(), 'conversation.fare', 'Which fare?'),
      new IfCondition().configure({
        condition: 'conversation.seats > 9',
        actions: [say('A colleague will call ${conversation.name}.')],
        elseActions: [
          say('${conversation.seats} seats for ${conversation.name} are booked, fare ${conversation.fare}.'),
        ],
      }),
    ]),
  ],
});
let storage;
let manager;

class Adapter extends BotAdapter {
  sent = [];
  async sendActivities(_context, activities) {
    for (const { type, text } of activities) if (type === 'message') this.sent.push(text);
    return activities.map(() => ({ id: '1' }));
  }
}
const adapter = new Adapter();

async function turn(conversation, text) {
  adapter.sent = [];
  const activity = {
    type: 'message',
    id: '1',
    text,
    channelId: 'bench',
    locale: 'en-us',
    conversation: { id: conversation },
    from: { id: 'user' },
    recipient: { id: 'bot' },
  };
  await manager.onTurn(new TurnContext(adapter, activity));
  return adapter.sent;
}

async function converse(conversation) {
  for (const [index, text] of SAYS.entries()) {
    const texts = await turn(conversation, text);
    if (texts.join('\n') !== said[index].join('\n')) throw new Error(`said ${JSON.stringify(texts)}`);
  }
}

process.on('message', async ({ seconds }) => {
  // What a window stores goes with it, so that storage does not grow.
  storage = new MemoryStorage();
  manager = new DialogManager(root).configure({
    conversationState: new ConversationState(storage),
    userState: new UserState(storage),
  });
  const startedAt = performance.now();
  let conversations = 0;
  try {
    do await converse(`c${(conversations += 1)}`);
    while (performance.now() - startedAt < seconds * 1000);
    const operations = conversations * SAYS.length;
    process.send({ operations, seconds: (performance.now() - startedAt) / 1000 });
  } catch (error) {
    process.send({ error: String(error) });
  }
});
process.on('disconnect', () => process.exit());
