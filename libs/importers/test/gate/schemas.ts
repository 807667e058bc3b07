// Where each format has texts, prompts, names, parameters, headers, body fields and languages, as
// its published schema says. The documents beside this file are our own, written from the same.
import type { FormatName } from '../../src/index.ts';
import {
  parameters,
  VAPI,
  vapiTool,
  vapiAssistant,
  RETELL,
  retellTool,
  retellNodes,
  pipecatNode,
  cxMessage,
} from './schema-parts.ts';

export interface GateSchema {
  readonly format: FormatName;
  /** The document in this folder. */
  readonly document: string;
  readonly source: string;
  readonly paths: readonly string[];
}

export const gateSchemas: readonly GateSchema[] = [
  {
    format: 'vapi',
    document: 'vapi-workflow',
    source: VAPI,
    paths: [
      'name',
      'globalPrompt',
      'voicemailMessage',
      'transcriber language',
      'nodes [] name',
      'nodes [] prompt',
      'nodes [] messagePlan firstMessage',
      'nodes [] globalNodePlan enterCondition',
      'nodes [] variableExtractionPlan aliases [] key',
      'nodes [] variableExtractionPlan aliases [] value',
      ...parameters('nodes [] variableExtractionPlan schema'),
      ...vapiTool('nodes [] tools []'),
      ...vapiTool('nodes [] tool'),
      'edges [] condition prompt',
    ],
  },
  {
    format: 'vapi',
    document: 'vapi-squad',
    source: VAPI,
    paths: [
      'name',
      ...vapiAssistant('members [] assistant'),
      ...vapiAssistant('members [] assistantOverrides'),
      ...['assistantName', 'message', 'description'].map(
        (leaf) => `members [] assistantDestinations [] ${leaf}`,
      ),
    ],
  },
  {
    format: 'retell',
    document: 'retell-flow',
    source: RETELL,
    paths: [
      'agent_name',
      'language',
      'boosted_keywords []',
      'conversationFlow global_prompt',
      'conversationFlow default_dynamic_variables @',
      'conversationFlow default_dynamic_variables *',
      'conversationFlow notes [] content',
      ...retellTool('conversationFlow tools []'),
      ...retellTool('conversationFlow mcps []'),
      ...retellNodes('conversationFlow nodes []'),
      'conversationFlow components [] name',
      ...retellNodes('conversationFlow components [] nodes []'),
    ],
  },
  {
    format: 'retell',
    document: 'retell-states',
    source: RETELL,
    paths: [
      'begin_message',
      'general_prompt',
      'default_dynamic_variables @',
      'default_dynamic_variables *',
      ...retellTool('general_tools []'),
      'states [] name',
      'states [] state_prompt',
      'states [] edges [] description',
      ...parameters('states [] edges [] parameters'),
      ...retellTool('states [] tools []'),
    ],
  },
  {
    format: 'dograh',
    document: 'dograh',
    source:
      'github.com/dograh-hq/dograh, api/services/workflow/dto.py and api/services/integrations/noveum/node.py',
    paths: [
      'name',
      'template_context_variables @',
      'template_context_variables *',
      ...[
        'name',
        'greeting',
        'prompt',
        'extraction_prompt',
        'endpoint_url',
        'qa_system_prompt',
        'qa_endpoint',
        'pre_call_fetch_url',
        'mcp_tool_filters @',
        'mcp_tool_filters * []',
        'trigger_path',
        'noveum_project',
      ].map((leaf) => `workflow_definition nodes [] data ${leaf}`),
      'workflow_definition nodes [] data extraction_variables [] name',
      'workflow_definition nodes [] data extraction_variables [] prompt',
      'workflow_definition nodes [] data tool_uuids []',
      'workflow_definition nodes [] data document_uuids []',
      'workflow_definition nodes [] data credential_uuid',
      'workflow_definition nodes [] data custom_headers [] key',
      'workflow_definition nodes [] data custom_headers [] value',
      'workflow_definition nodes [] data payload_template @',
      'workflow_definition nodes [] data payload_template *',
      'workflow_definition nodes [] data payload_template nested @',
      'workflow_definition nodes [] data payload_template nested *',
      ...['label', 'condition', 'transition_speech', 'transition_speech_recording_id'].map(
        (leaf) => `workflow_definition edges [] data ${leaf}`,
      ),
    ],
  },
  {
    format: 'pipecat',
    document: 'pipecat-editor',
    source:
      'github.com/pipecat-ai/pipecat-flows, src/pipecat_flows/types.py and the editor before version 1.0',
    paths: ['meta name', 'nodes [] data label', ...pipecatNode('nodes [] data')],
  },
  {
    format: 'pipecat',
    document: 'pipecat-static',
    source: 'github.com/pipecat-ai/pipecat-flows, src/pipecat_flows/types.py before version 1.0 (FlowConfig)',
    paths: pipecatNode('nodes *'),
  },
  {
    format: 'typebot',
    document: 'typebot',
    source: 'github.com/baptisteArno/typebot.io, packages/blocks/*/src/**/schema.ts and packages/ai',
    paths: [
      'name',
      'groups [] title',
      'variables [] name',
      'groups [] blocks [] content richText ... text',
      'groups [] blocks [] content richText ... url',
      'groups [] blocks [] content url',
      'groups [] blocks [] content alt',
      ...['content', 'value', 'title', 'description', 'pictureSrc', 'imageUrl', 'paths [] text'].map(
        (leaf) => `groups [] blocks [] items [] ${leaf}`,
      ),
      ...['placeholder', 'button'].map((leaf) => `groups [] blocks [] options labels ${leaf}`),
      ...['retryMessageContent', 'buttonLabel', 'model', 'subject', 'body', 'replyTo', 'name', 'content'].map(
        (leaf) => `groups [] blocks [] options ${leaf}`,
      ),
      'groups [] blocks [] options recipients []',
      'groups [] blocks [] options messages [] content',
      ...['name', 'description', 'code', 'parameters [] name', 'parameters [] description'].map(
        (leaf) => `groups [] blocks [] options tools [] ${leaf}`,
      ),
      ...['url', 'method', 'body', 'headers [] key', 'headers [] value', 'queryParams [] key'].map(
        (leaf) => `groups [] blocks [] options webhook ${leaf}`,
      ),
      'groups [] blocks [] options webhook queryParams [] value',
      'groups [] blocks [] options variablesForTest [] value',
      'groups [] blocks [] options responseVariableMapping [] bodyPath',
    ],
  },
  {
    format: 'dialogflow-cx',
    document: 'dialogflow-cx',
    source:
      'github.com/googleapis/googleapis, google/cloud/dialogflow/cx/v3, and the rich responses of ' +
      'cloud.google.com/dialogflow/cx/docs/concept/integration/dialogflow-messenger/fulfillment',
    paths: [
      'files agent.json displayName',
      'files agent.json description',
      'files agent.json defaultLanguageCode',
      'files agent.json supportedLanguageCodes []',
      'files flows/*.json displayName',
      ...cxMessage('files flows/*.json ... messages []'),
      ...cxMessage('files flows/*.json ... message'),
      'files flows/*.json ... parameters [] displayName',
      'files flows/*.json ... webhook',
      'files flows/*.json ... tag',
      'files flows/*.json ... setParameterActions [] parameter',
      'files flows/*.json ... setParameterActions [] value',
      'files flows/*.json ... inputParameters @',
      'files flows/*.json ... inputParameters *',
      'files generators/*.json displayName',
      'files generators/*.json promptText text',
      'files generators/*.json placeholders [] name',
      'files intents/*.json description',
      'files intents/*.json trainingPhrases [] parts [] text',
      'files entityTypes/*.json entities [] value',
      'files entityTypes/*.json entities [] synonyms []',
      'files playbooks/*.json goal',
      'files playbooks/*.json instruction steps [] text',
      'files webhooks/*.json displayName',
      'files webhooks/*.json genericWebService uri',
      'files webhooks/*.json genericWebService requestHeaders @',
      'files webhooks/*.json genericWebService requestHeaders *',
    ],
  },
  {
    format: 'dialogflow-cx',
    document: 'dialogflow-cx-playbooks',
    source:
      'github.com/googleapis/googleapis, google/cloud/dialogflow/cx/v3 (playbook.proto, tool.proto, example.proto), ' +
      'and the folder as github.com/GoogleCloudPlatform/cxas-scrapi, src/cxas_scrapi/migration/dfcx_exporter.py reads it',
    paths: [
      'files agent.json displayName',
      'files generativeSettings/*.json ... promptText',
      'files flows/*.json description',
      ...cxMessage('files flows/*.json ... messages []'),
      ...cxMessage('files playbooks/*.json ... messages []'),
      // Instructions name playbooks, flows and tools by `displayName`, which a mark would change.
      ...['goal', 'instruction guidelines', 'instruction ... text', 'codeBlock code'].map(
        (leaf) => `files playbooks/*.json ${leaf}`,
      ),
      ...['inputParameterDefinitions', 'outputParameterDefinitions'].flatMap((list) =>
        ['name', 'description'].map((leaf) => `files playbooks/*.json ${list} [] ${leaf}`),
      ),
      ...['description', 'actions [] * text', 'playbookOutput executionSummary'].map(
        (leaf) => `files playbooks/*/examples/*.json ${leaf}`,
      ),
      ...['description', '... keyName', 'dataStoreSpec ... displayName'].map(
        (leaf) => `files tools/*.json ${leaf}`,
      ),
      ...parameters('files tools/*.json functionSpec inputSchema'),
      'files tools/*.yaml info title',
      'files tools/*.yaml servers [] url',
      'files tools/*.yaml paths @',
      ...['operationId', 'summary', 'description', 'parameters [] name'].map(
        (leaf) => `files tools/*.yaml paths ... ${leaf}`,
      ),
      'files tools/*.yaml components parameters * name',
      'files tools/*.yaml components parameters * description',
      ...parameters('files tools/*.yaml components schemas'),
      'files testCases/*.json displayName',
      'files testCases/*.json notes',
    ],
  },
  {
    format: 'rasa',
    document: 'rasa',
    source:
      'rasa.com/docs/reference/primitives (flows, flow-steps, slots, responses), config/agents/react-sub-agents, ' +
      'and RasaHQ/rasa, rasa/shared/nlu/training_data/formats/rasa_yaml.py',
    paths: [
      'files *.yml flows @',
      'files *.yml flows * name',
      'files *.yml flows * description',
      'files *.yml flows * nlu_trigger [] intent name',
      ...['collect', 'description', 'generation_prompt'].map(
        (leaf) => `files *.yml flows * steps ... ${leaf}`,
      ),
      'files *.yml flows * steps ... set_slots [] @',
      'files *.yml flows * steps ... set_slots [] *',
      'files *.yml slots @',
      'files *.yml slots * values []',
      'files *.yml slots * initial_value',
      'files *.yml intents []',
      'files *.yml nlu [] examples',
      'files *.yml nlu [] examples [] text',
      'files *.yml actions []',
      ...[
        'text',
        'image',
        'channel',
        'buttons [] title',
        'buttons [] payload',
        'metadata rephrase_prompt',
      ].map((leaf) => `files *.yml responses * [] ${leaf}`),
      'files *.yml flows * steps [] exit_if []',
      'files *.yml flows * steps [] mcp_server',
      'files *.yml flows * steps [] mapping input [] param',
      'files *.yml agent description',
      'files *.yml connections mcp_servers [] name',
      'files *.yml connections mcp_servers [] include_tools []',
      'files *.yml mcp_servers [] name',
      'files *.yml mcp_servers [] url',
      'files *.yml action_endpoint url',
    ],
  },
];
