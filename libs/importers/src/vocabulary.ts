// What the members of each format mean to the search for losses (losses.ts): which hold no words of
// an author, and which hold conditions.
// Sources: github.com/dograh-hq/dograh, RetellAI/retell-typescript-sdk (src/resources),
// VapiAI/server-sdk-typescript (src/api/types), baptisteArno/typebot.io (packages/blocks),
// pipecat-ai/pipecat-flows (types.py), googleapis (dialogflow/cx/v3), RasaHQ/rasa docs (CALM).
import { placeholders } from './words.ts';

export interface Vocabulary {
  /** Ids, links between nodes, places on a canvas, times: no words of an author. */
  readonly plumbing: ReadonlySet<string>;
  /** Members whose own members the author has named. */
  readonly maps: ReadonlySet<string>;
  /** Members with a condition as an expression: its words stand apart in a definition. */
  readonly expressions: ReadonlySet<string>;
  /** Lists of parts of one text. */
  readonly parts: ReadonlySet<string>;
  /** Why all inside a member is lost, by its name; a name with `=` counts for texts only. */
  readonly settings: ReadonlyMap<string, string>;
  readonly placeholder: RegExp;
}

const VOICE = 'voice, models and recording are settings of your voice platform';
const LOOK = 'the look of a chat window is not part of a flow';
const BUTTONS = 'Parley sends no buttons and cards';

const words = (text: string): string[] => text.split(/\s+/u).filter((word) => word !== '');

const common = {
  plumbing: `id type position x y width height created_at updated_at createdAt updatedAt version`,
  maps: 'properties headers',
};

function vocabulary(
  parts: {
    readonly plumbing: string;
    readonly maps?: string;
    readonly expressions?: string;
    readonly parts?: string;
    readonly settings?: Readonly<Record<string, string>>;
  },
  placeholder: RegExp = placeholders.braces,
): Vocabulary {
  const settings = Object.entries(parts.settings ?? {});
  return {
    plumbing: new Set(words(`${common.plumbing} ${parts.plumbing}`)),
    maps: new Set(words(`${common.maps} ${parts.maps ?? ''}`)),
    expressions: new Set(words(parts.expressions ?? '')),
    parts: new Set(words(parts.parts ?? '')),
    settings: new Map(settings.flatMap(([names, why]) => words(names).map((name) => [name, why]))),
    placeholder,
  };
}

export const vocabularies = {
  dograh: vocabulary({
    plumbing: 'source target sourceHandle targetHandle viewport greeting_type http_method measured',
    maps: 'payload_template template_context_variables',
    settings: { 'workflow_configurations llm voice stt tts': VOICE },
  }),
  retell: vocabulary({
    plumbing: `start_node_id destination_node_id tool_id tool_type llm_id agent_id conversation_flow_id
      destination_state_name starting_state display_position begin_tag_display_position
      execution_message_type start_speaker parameter_type operator`,
    maps: 'query_params response_variables custom_sip_headers default_dynamic_variables',
    expressions: 'equations response_variables',
    settings: {
      'model_choice model voice_id voice_model ambient_sound kb_config post_call_analysis_model': VOICE,
      'finetune_conversation_examples finetune_transition_examples': 'examples do not train a flow',
      'positive_finetune_examples negative_finetune_examples': 'examples do not train a flow',
    },
  }),
  vapi: vocabulary({
    plumbing: 'from to orgId role timingMilliseconds',
    expressions: 'liquid aliases',
    settings: {
      'voice transcriber provider model= backgroundSound startSpeakingPlan stopSpeakingPlan': VOICE,
      'artifactPlan analysisPlan monitorPlan voicemailDetection observabilityPlan': VOICE,
      'credentials compliancePlan hooks keypadInputPlan clientMessages serverMessages': VOICE,
    },
  }),
  typebot: vocabulary({
    plumbing: `outgoingEdgeId blockId groupId eventId itemId variableId pathId workspaceId folderId
      publicId resultsTablePreferences graphCoordinates selectedThemeTemplateId isClosed
      logicalOperator comparisonOperator webhookId valueToExtract dialogueVariableId
      assistantMessagesVariableId userMessagesVariableId threadVariableId dynamicVariableId`,
    expressions: 'comparisons expressionToEvaluate bodyPath',
    settings: {
      'theme settings icon customDomain': LOOK,
      'pictureSrc displayCondition buttonLabel labels clickLink imageUrl description paths': BUTTONS,
      searchInputPlaceholder: BUTTONS,
      credentialsId: 'credentials are not imported',
    },
  }),
  pipecat: vocabulary({
    plumbing: 'role source target next_node_id transition_to default_next_node_id initial_node operator',
    expressions: 'conditions',
    settings: {
      'context_strategy handler': 'the function runs in the program that had the flow',
      action: 'the function runs in the program that had the flow',
    },
  }),
  'dialogflow-cx': vocabulary(
    {
      plumbing: `kind numTrainingPhrases priority autoExpansionMode targetPage targetFlow intent
        parameterId timeZone startFlow startPlaybook generator event entityType`,
      maps: 'inputParameters requestHeaders labels',
      expressions: 'condition outputParameter inputParameters',
      parts: 'parts',
      settings: {
        'advancedSettings speechToTextSettings textToSpeechSettings nluSettings gitIntegrationSettings':
          VOICE,
        'llmModelSettings modelParameter generativeSettings': VOICE,
        richContent: BUTTONS,
        supportedLanguageCodes: 'a flow has one language',
      },
    },
    placeholders.dollar,
  ),
  rasa: vocabulary(
    {
      plumbing: 'next link call noop then else action collect utter',
      maps: 'flows slots set_slots',
      expressions: 'if',
      settings: {
        'session_config config pipeline policies assistant_id recipe': VOICE,
        buttons: BUTTONS,
      },
    },
    placeholders.brace,
  ),
} as const satisfies Readonly<Record<string, Vocabulary>>;
