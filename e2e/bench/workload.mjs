/**
 * What every subject answers: a state of about 500 tokens with its prompt around it, and eight questions of about 60.
 * Plain sentences, so that tokenisers treat it as they treat real text.
 */
export const state = `Ticket 48213, opened by Dana Whitfield of Northfield Bakery on 3 October at 08:14.

Dana writes: On the first of the month your system charged our company card twice for the Team plan, 49 euros each time, and this is the second month in a row. In September I was told on the phone that the extra charge would be returned within five working days. It was not. I have attached both card statements and the invoice, which shows only one charge.

Your colleague Marek answered on 4 October at 16:40 that the second charge looks like a reservation that will fall away by itself, and that he could not see any double payment in our account. He asked us to wait until the end of the week and closed the ticket.

Dana answers on 7 October at 09:02: It did not fall away. Our bank confirms that both payments were booked and that they came from the same merchant number. I called the support line three times today and waited for more than twenty minutes each time before the line was cut. Nobody has called back, although the recorded voice promises it within two hours.

We also noticed that since the double charge our account shows two workspaces with the same name, and that two of our drivers can no longer sign in on their phones: they see a message that their seat is used elsewhere. The office computers work as usual. The delivery plan for tomorrow morning depends on those phones, so one of us will have to print it and drive it over tonight.

Our contract runs until the end of December. Our accountant says that we must dispute the charge with the bank by the fifteenth if it is not returned, and she has asked me for prices of two other products. I would rather stay, because the staff know how to use yours, but I cannot explain this to my boss a third time.

Please return both wrong charges, tell me in writing when that will arrive, and give the two drivers their access back today. My number is on the account; mornings are best, and I am at my desk from six. If you need the card statements once more, write to the office, not to my private address.`;

/**
 * @typedef {{ type: "choice", instructions: string, options: [key: string, meaning: string][] }
 *   | { type: "noul", instructions: string, criteria: { true: string, false: string } }
 *   | { type: "score", instructions: string, levels: string[] }} WorkQuestion
 */

/** @type {[key: string, meaning: string][]} */
const teams = [
  ["billing", "charges and refunds"],
  ["technical", "errors and outages"],
  ["account", "sign-in and seats"],
  ["sales", "plans and contracts"],
];

/**
 * Type, instructions, and options of each question, as `choice` and its siblings take them.
 *
 * @type {Readonly<Record<string, WorkQuestion>>}
 */
export const questions = {
  first: { type: "choice", instructions: "Which team should look at this ticket first?", options: teams },
  second: { type: "choice", instructions: "Which team has to be told as well?", options: teams },
  cause: {
    type: "choice",
    instructions: "What is the most likely cause of the second charge?",
    options: [
      ["duplicate", "two workspaces are charged"],
      ["reservation", "it falls away by itself"],
      ["fraud", "somebody else uses the card"],
    ],
  },
  mood: {
    type: "choice",
    instructions: "How does the customer feel in the last message?",
    options: [
      ["calm", "is in no hurry"],
      ["annoyed", "impatient but friendly"],
      ["angry", "threatens with consequences"],
    ],
  },
  leaving: {
    type: "noul",
    instructions: "Is it likely that this customer leaves before the end of the year?",
    criteria: { true: "asks for other prices or a dispute", false: "wants to stay whatever happens" },
  },
  blocked: {
    type: "noul",
    instructions: "Is somebody of this company kept from their work right now?",
    criteria: { true: "people cannot reach what they need", false: "everybody can work somehow" },
  },
  urgency: {
    type: "score",
    instructions: "How urgent is an answer to the last message?",
    levels: ["can wait until next week", "within a few days", "still today", "right now"],
  },
  fault: {
    type: "score",
    instructions: "How much of this trouble was made by our own support?",
    levels: ["none of it", "a small part", "about half of it", "nearly all of it"],
  },
};

/** The text that a subject without a chat template of its own is given before each question. */
export const promptStart = `<|im_start|>system
You are a decision function. You read the input and pick the single best option.<|im_end|>
<|im_start|>user
Input:
${state}

`;

/** The rest of the prompt, a question each. */
export const promptEnds = Object.values(questions).map((question) => {
  const options =
    question.type === "choice"
      ? question.options.map(([key, meaning]) => `${key}: ${meaning}`)
      : question.type === "noul"
        ? [`yes: ${question.criteria.true}`, `no: ${question.criteria.false}`]
        : question.levels.map((level, index) => `${index}: ${level}`);
  const lines = options.map((option, index) => `${String.fromCharCode(65 + index)}) ${option}`);
  return `Question: ${question.instructions}

Options:
${lines.join("\n")}

Reply with the letter of the best option only.<|im_end|>
<|im_start|>assistant
`;
});
