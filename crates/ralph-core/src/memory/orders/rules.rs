//! Word patterns of orders to an agent. Texts are lower case, with single spaces
//! and without invisible characters.

use super::OrderKind;

/// Signs of a text that poses as another part of the conversation.
pub(super) const POSING: &[&str] = &[
    "<|im_",
    "<|system",
    "<|user",
    "<|assistant",
    "<system>",
    "<system_",
    "</system>",
    "<assistant>",
    "[inst]",
    "[/inst]",
    "<<sys>>",
    "[system]",
    "[시스템]",
    "<ralph-",
    "</ralph",
    "<important>",
    "<instruction",
    "system-reminder",
    "\"role\": \"system\"",
    "\"role\":\"system\"",
    "role: system",
    "tool_result:",
    "tool_result>",
    "<tool_call",
    "\"tool_use\"",
    "](javascript:",
    "\"tool\":\"",
    "function_call:",
    "<function_",
    "### instruction",
    "### system",
    "developer message",
    "end of untrusted",
    "hidden instructions",
    "llm-instructions",
    "ai_directive",
    "assistant_",
    "_to_agent",
];

/// Words that precede a verb in an order.
pub(super) const STARTERS: &str = "please|must|should|shall|to|you|and|then|now|just|also|kindly|always|immediately|first|simply|instead|so|agent|agents|assistant|assistants|ai|model|models|llm|llms|bot|bots|:|,";

/// Groups of words that rules share, with their names in rules.
pub(super) const GROUPS: &[(&str, &str)] = &[
    ("MACHINE", "agent|agents|assistant|assistants|ai|ais|llm|llms|bot|bots"),
    ("MODEL", "model|models|tools|reader|readers|reviewer|reviewers|contributor|contributors"),
    ("KEEPER", "user|human|owner|operator|maintainer|maintainers|reviewer|anyone|anybody|them"),
    (
        "ACT",
        "run|delete|remove|approve|merge|push|send|post|paste|commit|skip|ignore|obey|trust|disable|disregard|execute|fetch|upload|install|grant|accept|pretend|always|never|drop|turn|fill|register|print|output|reveal|comply|replace|describe|include|insert|open|cite|recommend|mark|treat|visit|star|decode|discard|abandon|bypass|read",
    ),
    ("SECRET", "key*|token*|secret*|credential*|password*|env|cookies|id_rsa|prompt|history"),
];

/// Sequences of word groups. `+` means right after the one before, `*` any ending,
/// `^` the start of an order.
pub(super) const RULES: &[(OrderKind, &[&str])] = &[
    (
        OrderKind::Forget,
        &[
            "^ignore|disregard|forget|bypass|override instruction*|prompt*|rules|guideline*|polic*|constraint*|directive*|told|above|safety|said|says",
            "^ignore|disregard|forget|refuse +the|your|what user*|human*|owner*|ticket|task",
            "previous|earlier|prior|above|original instruction*|order*|directive*|rules void|obsolete|cancelled|revoked|superseded|invalid|suspended|drill",
            "your instruction*|context|memory|task revoked|suspended|corrupted|outdated|changed|updated",
            "don't|not|never|stop follow*|obey*|listen* user*|human|owner|operator|system|previous|earlier|their",
            "your +new|real|true|actual|only|sole|next|updated|remaining task|job|mission|goal|instruction*|role|purpose|work|persona|duty",
            "new|real +instruction*|directive*|orders|goal|rule +:|1",
            "everything|all|anything +you +were|are told|taught|instructed|given",
            "^drop|discard|abandon|pause|abort|change|switch|reload +your|the plan*|task*|work|persona|role",
            "you have|are|may|can|been +permission|authorised|authorized|granted|cleared|allowed|free",
            "i|we +authorise|authorize|confirm|hereby you|any|:",
            "no +review|confirmation|approval|permission|need +is|needed|required|necessary|for|to",
            "you +no +longer +need|have|must",
            "user|operator|maintainers|supervisor|owner +has|have|already|pre-approved|approved|agreed|wants already|agreed|every|all|everything|:|you",
        ],
    ),
    (
        OrderKind::Pretend,
        &[
            "pretend +you|to|that|the|it",
            "you +are +now|actually|no|an|in|dan|root +a|an|the|in|dan|root|longer|running|set|evil|unrestricted|ai|developer|admin* in|as|to|mode|hacker|operator|root|dan|unrestricted|bound|assistant",
            "you +are +now|actually +dan|root|unrestricted|devgpt*|freebot",
            "^act|behave|respond|roleplay +as +if|though|root|admin*|an",
            "from +now +on answer|you|respond|reply|treat|act|always|never|,",
            "in|to|into|enter|activate|engage +developer|god|dan|jailbreak|unrestricted|admin|root +mode",
            "stay +in +character|role",
            "as +an|the +ai|assistant|agent|llm +,|you|i|must|should",
        ],
    ),
    (
        OrderKind::Role,
        &[
            "^system|assistant|developer|user|human +:|override|notice you|your|must|obey|answer|approve|delete|task|new|ignore|safety|grant|prior|void|outranks|follow|i",
            "message|order|instruction|instructions|directive|request +from +the|your|anthropic|openai",
            "new +system +prompt",
            "^human +:",
            "as +the|an|project owner|administrator|maintainer|operator i|,",
        ],
    ),
    (
        OrderKind::Hide,
        &[
            "not|don't|never|mustn't|shouldn't tell|inform|mention|notify|alert|disclose KEEPER|this|it|these|where",
            "not|don't|never +show|reveal|bring|mention +this|it|these|up",
            "without +telling|informing|mentioning|notifying|asking|saying|disclosing|question",
            "keep +this|it|that|quiet secret|hidden|between|quiet|about|from",
            "secretly|covertly|silently|quietly|discreetly ACT|add|change|modify|copy",
            "say +nothing +about|to|of",
            "^tell|assure|convince +the|your +user|human|operator|maintainer*|reviewer* +that|it|everything|to",
            "^report|mark|declare|treat|claim|say|present|state|set test*|check*|everything|build|they|them|task|promise|gates|it|audit pass*|green|successful|complete|done|approved|true|given",
            "^reply|respond|output|say|print|answer|emit promise",
        ],
    ),
    (
        OrderKind::Leak,
        &[
            "^send|post|upload|forward|email|mail|exfiltrate|paste|share|submit SECRET|contents|source|diff|conversation|everything|them|it to|into|http|https|webhook|here",
            "^put|include|add|append|insert|attach|write|copy|give|paste SECRET|value*|contents|this|variables answer|reply|response|summary|description|message|url|issue|comment|pr|gist|parameter",
            "^print|reveal|output|dump|repeat|show|list|cat environment|system|hidden|your|id_rsa|all|words|whole|every|its|the prompt|variables|instructions|credentials|above|id_rsa|conversation|tokens|token|configuration",
            "^cat|read id_rsa|passwd|shadow|credentials",
            "by +printing|sending|posting|pasting|writing value|your|SECRET|contents",
        ],
    ),
    (
        OrderKind::Command,
        &[
            "MACHINE must|should|shall|please|kindly|could|has|have|are|is|:|, +ACT",
            "MACHINE +must|should|shall|:|,|to|only +ACT|also|first|immediately|now",
            "MACHINE has|have|required|expected|asked|encouraged|instructed|authorised|free +to",
            "ai|llm|coding|language|automated|autonomous|browsing MACHINE|MODEL :|must|should|shall|to|please|can",
            "MACHINE|model|models|bot reading|processing|seeing|parsing|completing|triaging|summarising|summarizing|analysing|reviewing|handling|calling|that|which|who|operating +this|these|processes|reads|it|here",
            "model +must|shall|has|should +output|disable|comply|to|obey|first|fetch",
            "^to|for|dear|attention|hey|hi|hello|reminder MACHINE|MODEL|model +:|,|only|reading|who|eyes",
            "instructions|directive|orders|hint|message|note|reminder to|for MACHINE|models|ai|model",
            ", +agent +,",
            "you +, +the MACHINE|model",
            "if|when +you +are|happen an|a|the MACHINE",
            "todo|fixme agent|assistant|ai|bot|llm ACT|add",
            "whoever|whatever|whichever|anyone reads|sees|parses|processes|processing|reading|completing|is|works +this|reading|processing|completing|with",
            "when|whenever|if|once you read|see|summarise|summarize|process|encounter|reach +this|these +note|file|page|text|document|message|output|commit|line",
            "summarising|summarizing|reading +this|these say|add|include|describe",
            "^respond|reply|answer +only +with|as|in",
            "^answer +in +french|german|spanish|english",
            "^stop +working|what +on|you",
            "^begin|start|end|finish|prefix your|every answer*|repl*|response*|message*|output*",
            "remember|save|store this|permanently|forever|all|that never|always|your|permanently|future",
            "do|follow|obey +what|whatever|anything|exactly says|tells|asks|instructs|written|found",
            "decode|backwards|base64|rot13 follow|obey|execute|do|carry",
            "^disable|delete|remove|weaken +the|all +tests|checks|files|assertion before|and",
            "^push|merge|deploy|delete|approve|publish|run|commit|accept|execute without +asking|approval|permission|confirmation|review|question*|looking|consent",
            "^approve|accept|grant|allow|trust +every|all|any|everything",
            "^make|grant +the|everyone|guest|yourself repository|owner|admin*|root public|role|access|rights",
        ],
    ),
];

/// Pairs of parts that follow each other in a Korean text; an empty second part
/// matches anything.
pub(super) const KOREAN: &[(OrderKind, &str, &str)] = &[
    (OrderKind::Forget, "지시|명령|규칙을|규칙은|내용은", "무시하|무시해|잊|따르지|무효|폐기"),
    (OrderKind::Forget, "제한이|제한은", "해제"),
    (OrderKind::Forget, "이 메모만|이 글만|내 말만|진짜 임무|이 지시는 최우선", ""),
    (OrderKind::Pretend, "지금부터|이제부터|이제", "너는|당신은|사용자 승인 없이"),
    (OrderKind::Pretend, "너는|당신은", "이제 |지금부터"),
    (OrderKind::Role, "시스템:|관리자로서|주인으로서", "너는|당신은|모든|말하|제한"),
    (OrderKind::Hide, "말하지|알리지|적지|쓰지|보이지|묻지", " 말고| 마세요| 마십시오| 마라| 말라"),
    (OrderKind::Hide, "비밀로 하|몰래 |사실을 숨기", ""),
    (OrderKind::Hide, "통과했다고|완료했다고|성공했다고|있었다고", "보고|말해|답"),
    (
        OrderKind::Leak,
        "토큰|비밀번호|.env|대화 내용|시스템 프롬프트",
        "전송|보내|붙여|출력해|출력하라|출력하고",
    ),
    (
        OrderKind::Command,
        "에이전트는|어시스턴트는|어시스턴트에게|에이전트에게|ai는|ai에게|비서는|모델에게|봇은",
        "해야 |하세요|하십시오|하라|할 것|지 마|말고|실행해|말해",
    ),
    (OrderKind::Command, "승인 없이|확인 없이|허락 없이|리뷰 없이", "하라|하세요|할 것|해도"),
];
