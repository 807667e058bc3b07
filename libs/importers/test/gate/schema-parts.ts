// Parts of the published schemas that stand in several places (schemas.ts).

/** A JSON Schema that names parameters, at any depth. */
export const parameters = (at: string): string[] => [
  `${at} ... properties @`,
  ...['description', 'value', 'const', 'enum []'].map((leaf) => `${at} ... properties * ${leaf}`),
];

export const VAPI = 'github.com/VapiAI/server-sdk-typescript, src/api/types';
/** CreateApiRequestToolDto, CreateFunctionToolDto, ToolMessage*, ToolParameter. */
export const vapiTool = (at: string): string[] => [
  `${at} name`,
  `${at} description`,
  `${at} url`,
  `${at} method`,
  `${at} function name`,
  `${at} function description`,
  ...parameters(`${at} function parameters`),
  ...parameters(`${at} body`),
  ...parameters(`${at} headers`),
  `${at} parameters [] key`,
  `${at} parameters [] value`,
  `${at} server url`,
  `${at} server headers @`,
  `${at} server headers *`,
  `${at} messages [] content`,
  `${at} messages [] contents [] text`,
  `${at} messages [] contents [] language`,
  ...['number', 'message', 'description', 'callerId', 'assistantName'].map(
    (leaf) => `${at} destinations [] ${leaf}`,
  ),
  `${at} variableExtractionPlan aliases [] key`,
  `${at} variableExtractionPlan aliases [] value`,
];
/** CreateAssistantDto. */
export const vapiAssistant = (at: string): string[] => [
  ...['name', 'firstMessage', 'endCallMessage', 'voicemailMessage'].map((leaf) => `${at} ${leaf}`),
  `${at} transcriber language`,
  `${at} model messages [] content`,
  ...vapiTool(`${at} model tools []`),
];

export const RETELL =
  'github.com/RetellAI/retell-typescript-sdk, src/resources/conversation-flow.ts and llm.ts';
export const retellTool = (at: string): string[] => [
  ...['name', 'description', 'url', 'method', 'code', 'execution_message_description'].map(
    (leaf) => `${at} ${leaf}`,
  ),
  ...parameters(`${at} parameters`),
  ...['headers', 'query_params', 'response_variables'].flatMap((map) => [`${at} ${map} @`, `${at} ${map} *`]),
  `${at} transfer_destination number`,
  `${at} sms_content content`,
  ...['name', 'description', 'choices []'].map((leaf) => `${at} variables [] ${leaf}`),
];
export const retellNodes = (at: string): string[] => [
  `${at} name`,
  `${at} instruction text`,
  `${at} code`,
  `${at} ... transition_condition prompt`,
  `${at} finetune_transition_examples [] transcript [] content`,
  ...['name', 'description', 'choices []'].map((leaf) => `${at} variables [] ${leaf}`),
  `${at} transfer_destination number`,
  `${at} transfer_option ... message`,
  `${at} custom_sip_headers @`,
  `${at} custom_sip_headers *`,
  `${at} global_node_setting condition`,
];

export const pipecatNode = (at: string): string[] => [
  `${at} role_message`,
  `${at} role_messages [] content`,
  `${at} task_messages [] content`,
  `${at} pre_actions [] text`,
  `${at} post_actions [] text`,
  `${at} context_strategy summary_prompt`,
  ...[
    `${at} functions []`,
    `${at} functions [] function`,
    `${at} functions [] function_declarations []`,
  ].flatMap((one) => [
    `${one} name`,
    `${one} description`,
    ...parameters(one),
    `${one} decision conditions [] value`,
  ]),
];

const CX_MESSAGES = ['text text []', 'outputAudioText ssml', 'playAudio audioUri', 'languageCode'];
export const cxMessage = (at: string): string[] => [
  ...CX_MESSAGES.map((leaf) => `${at} ${leaf}`),
  `${at} telephonyTransferCall phoneNumber`,
  ...['title', 'subtitle', 'text', 'text []', 'options [] text', 'options [] link'].map(
    (leaf) => `${at} payload richContent [] [] ${leaf}`,
  ),
];
