// What the members of each format mean to the search for losses (losses.ts): which hold no words of
// an author, and which hold conditions.
// Sources: github.com/dograh-hq/dograh (api/services/workflow/dto.py),
// RetellAI/retell-typescript-sdk (src/resources), VapiAI/server-sdk-typescript (src/api/types),
// baptisteArno/typebot.io (packages/blocks), pipecat-ai/pipecat-flows (types.py), googleapis
// (dialogflow/cx/v3), rasa.com/docs/reference (primitives, config/agents) and RasaHQ/rasa
// (rasa/shared/core/flows, rasa/shared/nlu/training_data).
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
  /** Members whose text is a list, an element a line. */
  readonly lines: ReadonlySet<string>;
  /** Why all inside a member is lost, by its name; a name with `=` counts for texts only. */
  readonly settings: ReadonlyMap<string, string>;
  /** Why all in a file is lost, by a pattern of its pointer, which writes `/` as `~1`. */
  readonly files: readonly (readonly [RegExp, string])[];
  readonly placeholder: RegExp;
}

const VOICE = 'voice, models and recording are settings of your voice platform';
const LOOK = 'the look of a chat window is not part of a flow';
const BUTTONS = 'Parley sends no buttons and cards';
const EXAMPLES = 'an example of a conversation does not train a flow';
const PHRASES = 'a branch has at most 50 examples of 300 characters, of the intents that it stands for';
const TESTS = 'tests of the product are not imported';
const CODE = 'its code runs in the product that had the flow';

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
    readonly lines?: string;
    readonly settings?: Readonly<Record<string, string>>;
    readonly files?: Vocabulary['files'];
  },
  placeholder: RegExp = placeholders.braces,
): Vocabulary {
  const settings = Object.entries(parts.settings ?? {});
  return {
    plumbing: new Set(words(`${common.plumbing} ${parts.plumbing}`)),
    maps: new Set(words(`${common.maps} ${parts.maps ?? ''}`)),
    expressions: new Set(words(parts.expressions ?? '')),
    parts: new Set(words(parts.parts ?? '')),
    lines: new Set(words(parts.lines ?? '')),
    settings: new Map(settings.flatMap(([names, why]) => words(names).map((name) => [name, why]))),
    files: parts.files ?? [],
    placeholder,
  };
}

export const vocabularies = {
  dograh: vocabulary({
    plumbing: `source target sourceHandle targetHandle viewport greeting_type http_method measured
      transition_speech_type pre_call_fetch_mode`,
    maps: 'payload_template template_context_variables mcp_tool_filters',
    settings: {
      'workflow_configurations llm voice stt tts qa_provider qa_model qa_endpoint qa_api_key': VOICE,
      'greeting_recording_id transition_speech_recording_id': 'recordings stay with your voice platform',
      'pre_call_fetch_url pre_call_fetch_credential_uuid':
        'your program fetches it before the call, and passes it as variables',
    },
  }),
  retell: vocabulary({
    plumbing: `start_node_id destination_node_id tool_id tool_type llm_id agent_id conversation_flow_id
      destination_state_name starting_state display_position begin_tag_display_position
      execution_message_type start_speaker parameter_type operator role`,
    maps: 'query_params response_variables custom_sip_headers default_dynamic_variables',
    expressions: 'equations response_variables',
    settings: {
      'model_choice model voice_id voice_model ambient_sound kb_config post_call_analysis_model': VOICE,
      'boosted_keywords backchannel_words denoising_mode stt_mode pii_config data_storage_setting': VOICE,
      language: 'a flow has one language',
      post_call_analysis_data: 'finished calls are analysed outside of a flow',
      'always_edge else_edge skip_response_edge edge success_edge failed_edge':
        'the product labels this edge; its way is kept',
      'finetune_conversation_examples finetune_transition_examples': EXAMPLES,
      'positive_finetune_examples negative_finetune_examples': EXAMPLES,
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
        parameterId timeZone startFlow startPlaybook generator event entityType playbookType toolType
        tokenCount lifecycleStage conversationState retrievalStrategy selectionStrategy openapi
        $ref in format targetPlaybook transitionRouteGroups`,
      maps: 'inputParameters requestHeaders labels paths',
      expressions: 'condition outputParameter inputParameters',
      parts: 'parts',
      settings: {
        'advancedSettings speechToTextSettings textToSpeechSettings nluSettings gitIntegrationSettings':
          VOICE,
        'llmModelSettings modelParameter generativeSettings': VOICE,
        codeBlock: CODE,
        responses: 'an agent sees what a tool answers, not its description',
        'authentication tlsConfig serviceDirectoryConfig': 'credentials are not imported',
        dataStoreSpec: 'its documents stay where they are; your runtime finds them by name',
        richContent: BUTTONS,
        supportedLanguageCodes: 'a flow has one language',
      },
      files: [
        [/playbooks~1[^/]*~1examples~1/u, EXAMPLES],
        [/~1trainingPhrases~1/u, PHRASES],
        [/\/testCases~1/u, TESTS],
        [/\/generativeSettings~1/u, VOICE],
        [/\/codeBlocks~1/u, CODE],
      ],
    },
    placeholders.dollar,
  ),
  rasa: vocabulary(
    {
      plumbing: 'next link call noop then else action collect utter protocol',
      maps: 'flows slots set_slots',
      expressions: 'if exit_if mapping',
      lines: 'examples',
      settings: {
        'session_config config pipeline policies assistant_id recipe configuration': VOICE,
        nlu: PHRASES,
        'stories rules': 'training data of a pipeline is not imported',
        'test_cases fixtures': TESTS,
        dtmf: 'your voice platform collects pressed keys',
        buttons: BUTTONS,
      },
    },
    placeholders.brace,
  ),
} as const satisfies Readonly<Record<string, Vocabulary>>;
