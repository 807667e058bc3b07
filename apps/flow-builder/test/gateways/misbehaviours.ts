// What providers answer when something is wrong, written down from their documentation and from
// public reports. Shapes are theirs; texts are shortened.
import type { GatewayAnswer } from '@parley/testing';
import type { GatewayFailure } from '../../src/gateways/failures.ts';

export interface Misbehaviour {
  readonly answer: GatewayAnswer;
  /** The class of the failure, or `read`: the first branch is read from it. */
  readonly expected: GatewayFailure | 'read';
  /** Where the shape is documented or reported. Without one it is plain HTTP or JSON. */
  readonly source?: string;
  /** JSON that is wrong for a classifier only: an extractor reads it. */
  readonly onlyForClassifier?: true;
  /**
   * For an agent, where it differs: it sends neither a schema nor a temperature, and a text is an
   * answer.
   */
  readonly agent?: GatewayFailure | 'read';
  /** Requests until the answer counts; 2 where a refused member is left out. Default 1. */
  readonly requests?: number;
}

const OPENAI_ERRORS = 'https://developers.openai.com/docs/guides/error-codes';
const ANTHROPIC_ERRORS = 'https://platform.claude.com/docs/en/api/errors';
const RIGHT = '{"choice":"0","confidence":0.9}';
const openAiError = (code: string | null, message: string, param: string | null = null) => ({
  message,
  type: 'invalid_request_error',
  param,
  code,
});

export const misbehaviours: Readonly<Record<string, Misbehaviour>> = {
  'OpenAI: wrong key': {
    answer: { status: 401, error: openAiError('invalid_api_key', 'Incorrect API key provided: sk-CANARY') },
    expected: 'unauthorized',
    source: OPENAI_ERRORS,
  },
  'OpenAI: region is not supported': {
    answer: { status: 403, error: openAiError('unsupported_country_region_territory', 'Not supported') },
    expected: 'unauthorized',
    source: OPENAI_ERRORS,
  },
  'OpenAI: no credit': {
    answer: {
      status: 429,
      error: { ...openAiError('insufficient_quota', 'You exceeded your quota'), type: 'insufficient_quota' },
    },
    expected: 'quota_exceeded',
    source: OPENAI_ERRORS,
  },
  'OpenAI: rate limit': {
    answer: {
      status: 429,
      error: { ...openAiError('rate_limit_exceeded', 'Rate limit reached'), type: 'requests' },
    },
    expected: 'rate_limited',
    source: OPENAI_ERRORS,
  },
  'OpenAI: model does not exist': {
    answer: { status: 404, error: openAiError('model_not_found', 'The model `x` does not exist') },
    expected: 'model_not_found',
    source: 'https://portkey.ai/error-library/model-access-error-10537',
  },
  'OpenAI: temperature is not taken': {
    answer: {
      status: 400,
      error: openAiError(
        'unsupported_value',
        "Unsupported value: 'temperature' does not support 0 with this model.",
        'temperature',
      ),
    },
    expected: 'read',
    agent: 'unsupported_parameter',
    requests: 2,
    source: 'https://github.com/vercel/ai/issues/6034',
  },
  'OpenAI: response format is not taken': {
    answer: {
      status: 400,
      error: openAiError(
        null,
        "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
      ),
    },
    expected: 'read',
    agent: 'http_status',
    requests: 2,
    source: 'https://github.com/langchain-ai/langchain/issues/31490',
  },
  'OpenAI: a parameter that we do not send': {
    answer: {
      status: 400,
      error: openAiError('unsupported_parameter', "Unsupported parameter: 'top_k'", 'top_k'),
    },
    expected: 'unsupported_parameter',
    source: 'https://github.com/openai/openai-python/issues/2104',
  },
  'OpenAI: overloaded': { answer: 503, expected: 'http_status', source: OPENAI_ERRORS },
  'Anthropic: temperature is deprecated': {
    answer: {
      status: 400,
      error: { type: 'invalid_request_error', message: '`temperature` is deprecated for this model.' },
    },
    expected: 'read',
    agent: 'http_status',
    requests: 2,
    source: 'https://github.com/BerriAI/litellm/issues/26444',
  },
  'Anthropic: overloaded': {
    answer: { status: 529, error: { type: 'overloaded_error', message: 'Overloaded' } },
    expected: 'http_status',
    source: ANTHROPIC_ERRORS,
  },
  'Anthropic: billing': {
    answer: { status: 402, error: { type: 'billing_error', message: 'Check your payment details' } },
    expected: 'quota_exceeded',
    source: ANTHROPIC_ERRORS,
  },
  'Azure: content filter': {
    answer: {
      status: 400,
      error: {
        code: 'content_filter',
        message: 'The response was filtered.',
        status: 400,
        innererror: { code: 'ResponsibleAIPolicyViolation' },
      },
    },
    expected: 'refused',
    source: 'https://www.dotnetstudioai.com/hospital/fix-azure-openai-content-filter-error-csharp',
  },
  'Azure: no such deployment': {
    answer: {
      status: 404,
      error: { code: 'DeploymentNotFound', message: 'The API deployment does not exist.' },
    },
    expected: 'model_not_found',
    source: 'https://github.com/Azure-Samples/azure-search-openai-demo-csharp/issues/379',
  },
  'Gemini: wrong key, as a list': {
    answer: {
      status: 400,
      text: JSON.stringify([
        {
          error: {
            code: 400,
            message: 'API key not valid. Please pass a valid API key.',
            status: 'INVALID_ARGUMENT',
            details: [{ reason: 'API_KEY_INVALID', domain: 'googleapis.com' }],
          },
        },
      ]),
    },
    expected: 'unauthorized',
    source: 'https://github.com/continuedev/continue/issues/10290',
  },
  'Ollama: model is not pulled': {
    answer: {
      status: 404,
      error: { message: 'model "qwen:7b" not found, try pulling it first', type: 'api_error', code: null },
    },
    expected: 'model_not_found',
    source: 'https://github.com/chatchat-space/Langchain-Chatchat/issues/4925',
  },
  'vLLM: model does not exist, without `error`': {
    answer: {
      status: 404,
      text: '{"object":"error","message":"The model `x` does not exist.","type":"NotFoundError","code":404}',
    },
    expected: 'model_not_found',
    source: 'https://github.com/vllm-project/vllm/issues/3485',
  },
  'LiteLLM: budget is used up': {
    answer: {
      status: 429,
      error: { message: 'exceeded budget for model=x', type: 'budget_exceeded', param: null, code: '429' },
    },
    expected: 'quota_exceeded',
    source: 'https://github.com/BerriAI/litellm/pull/4606',
  },
  'LiteLLM: temperature is not taken': {
    answer: {
      status: 400,
      error: {
        message: "litellm.UnsupportedParamsError: gpt-5 models don't support temperature=0.",
        type: 'None',
        code: '400',
      },
    },
    expected: 'read',
    agent: 'http_status',
    requests: 2,
    source: 'https://github.com/BerriAI/litellm/issues/13781',
  },
  'a proxy: HTML with 502': {
    answer: { status: 502, text: '<html><h1>502 Bad Gateway</h1></html>' },
    expected: 'http_status',
  },
  'a proxy: HTML with 200': { answer: { body: '<html>Log in</html>' }, expected: 'malformed' },
  'slow headers': { answer: 'hang', expected: 'timeout' },
  'half a body': { answer: 'stall', expected: 'timeout' },
  'a slow body': { answer: 'drip', expected: 'timeout' },
  'an endless body': { answer: 'endless', expected: 'too_large' },
  'a closed connection': { answer: 'reset', expected: 'connection' },
  'empty choices': { answer: { several: [] }, expected: 'malformed' },
  'an error in a 200': { answer: { body: '{"error":{"message":"overloaded"}}' }, expected: 'malformed' },
  'the refusal member': {
    answer: { refusal: 'I cannot help with that.' },
    expected: 'refused',
    source: 'https://developers.openai.com/api/docs/guides/structured-outputs',
  },
  'a filtered completion': {
    answer: { content: RIGHT, finishReason: 'content_filter' },
    expected: 'refused',
  },
  'a truncated completion': { answer: { content: RIGHT, finishReason: 'length' }, expected: 'truncated' },
  'a tool call instead of a text': {
    answer: { tools: [{ name: 'branch_choice', args: { choice: '0', confidence: 1 } }] },
    expected: 'nonsense',
  },
  'an empty text': { answer: { content: '' }, expected: 'nonsense', agent: 'nonsense' },
  'half a document': { answer: { content: '{"choice":"0","confi' }, expected: 'nonsense' },
  'JSON of another shape': {
    answer: { content: '{"branch":"0","score":1}' },
    expected: 'nonsense',
    onlyForClassifier: true,
  },
  'an unknown branch': {
    answer: { content: '{"choice":"7","confidence":1}' },
    expected: 'unknown_branch',
    onlyForClassifier: true,
  },
  'a branch by its label': {
    answer: { content: '{"choice":"Refund","confidence":1}' },
    expected: 'unknown_branch',
    onlyForClassifier: true,
  },
  'a code fence': { answer: { content: `\`\`\`json\n${RIGHT}\n\`\`\`` }, expected: 'read' },
  'a sentence around the JSON': { answer: { content: `Sure, here it is: ${RIGHT}` }, expected: 'read' },
  'a number for the index': { answer: { content: '{"choice":0,"confidence":"0.9"}' }, expected: 'read' },
  'reasoning in the text': {
    answer: { content: `<think>{"choice":"1"}?</think>${RIGHT}` },
    expected: 'read',
    source: 'https://docs.vllm.ai/en/latest/features/reasoning_outputs/',
  },
};
