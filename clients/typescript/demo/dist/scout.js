// How the scout decides: a function from a conversation to a reply, in a language model's place.
//
// It sees what a model would see and nothing else: frames of mail, results of tools. The Python demonstration has the
// same one, for machines without Node.
const FRAME = /<(?:agent|delegation)_message\w* from="(?<from>[^"]+)">\n(?<body>.*?)(?:\n\n\[use .*?\])?\n<\//s;
const HANDLE = /\b[a-z0-9-]+_[0-9a-f]{8}\b/;
/** Surveys what is asked for, which takes a while, and reports once to whoever shall know. */
export function scout(conversation) {
    const newest = conversation.at(-1);
    const place = /urvey the (\w+)/.exec(newest?.prompts.join("\n") ?? "")?.[1];
    if (place !== undefined && place !== "tower") {
        return calls(["survey", { place }]);
    }
    const surveyed = newest?.results.find((result) => result.tool === "survey");
    if (surveyed?.text.includes("archive")) {
        const order = FRAME.exec(conversation[0]?.prompts.join("\n") ?? "")?.groups;
        const scribe = HANDLE.exec(order?.["body"] ?? "")?.[0] ?? "scribe";
        return calls(["send_message", { to: scribe, body: `For the record: ${surveyed.text}` }], ["send_message", { to: order?.["from"] ?? "", body: `The archive is surveyed: ${surveyed.text}` }]);
    }
    return { text: surveyed || place ? "Surveyed." : "Reported." };
}
/** Returns a reply of tool calls; their ids are the same in every turn, as those of some models are. */
function calls(...wanted) {
    return { calls: wanted.map(([tool, given], number) => ({ id: `call_${number}`, tool, arguments: given })) };
}
