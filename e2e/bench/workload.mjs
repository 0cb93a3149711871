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

Please return both wrong charges, tell me in writing when that will arrive, and give the two drivers their access back today. My number is on the account; mornings are best.`;

/**
 * @typedef {{ type: "choice", instructions: string, options: [key: string, meaning: string][] }
 *   | { type: "noul", instructions: string, criteria: { true: string, false: string } }
 *   | { type: "score", instructions: string, levels: string[] }} WorkQuestion
 */

/** @type {[key: string, meaning: string][]} */
const teams = [
  ["billing", "charges, invoices, refunds and everything about payments"],
  ["technical", "errors, outages, and features that do not work as described"],
  ["account", "sign-in, seats, workspaces, profiles and permissions"],
  ["sales", "plans, quotes, upgrades and contracts that end soon"],
];

/**
 * Type, instructions, and options of each question, as `choice` and its siblings take them.
 *
 * @type {Readonly<Record<string, WorkQuestion>>}
 */
export const questions = {
  first: { type: "choice", instructions: "Which team should look at this ticket first today?", options: teams },
  second: { type: "choice", instructions: "Which team has to be told about it as well?", options: teams },
  cause: {
    type: "choice",
    instructions: "What is the most likely cause of the second charge?",
    options: [
      ["duplicate", "two workspaces were made and both are being charged"],
      ["reservation", "it is only reserved and will fall away by itself"],
      ["fraud", "somebody else is using the card of the company"],
      ["mistake", "the customer reads the card statement wrongly"],
    ],
  },
  mood: {
    type: "choice",
    instructions: "How does the customer feel when writing the last message?",
    options: [
      ["calm", "writes about facts only and is in no hurry at all"],
      ["annoyed", "is impatient but still friendly and wants to stay"],
      ["angry", "uses hard words, or threatens with consequences"],
      ["resigned", "has given up and expects nothing of us any more"],
    ],
  },
  leaving: {
    type: "noul",
    instructions: "Is it likely that this customer leaves us before the end of the year?",
    criteria: {
      true: "asks for other prices, a dispute, or an end of the contract",
      false: "wants to stay whatever happens with the charge",
    },
  },
  blocked: {
    type: "noul",
    instructions: "Is somebody of this company kept from doing their work right now?",
    criteria: {
      true: "people cannot sign in, or cannot reach what they need today",
      false: "everybody can work, if with more effort than usual",
    },
  },
  urgency: {
    type: "score",
    instructions: "How urgent is an answer to the last message of this customer?",
    levels: [
      "can wait until next week",
      "within a few days",
      "still today, before the evening",
      "right now, whatever it takes",
    ],
  },
  fault: {
    type: "score",
    instructions: "How much of this trouble was made by our own support so far?",
    levels: ["none of it at all", "a small part of it", "about half of it, or a little more", "nearly all of it"],
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
