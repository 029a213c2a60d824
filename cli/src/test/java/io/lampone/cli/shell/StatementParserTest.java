package io.lampone.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.lampone.protocol.Bytes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StatementParserTest {

  @Test
  void theHBaseWayAndThePlainWayMeanTheSame() throws SyntaxException {
    Statement hbase = one("put 'T', 'row 1', 'f:q', 'v'");
    assertThat(one("put T 'row 1' f:q v")).isEqualTo(hbase);
    assertThat(one("PUT T,\"row 1\",f:q,v")).isEqualTo(hbase);
    assertThat(one("  put T, row\\x201, f:q\tv # comment")).isEqualTo(hbase);
    assertThat(one("put T row\\ 1 f:q v;")).isEqualTo(hbase);
  }

  @Test
  void escapesCountInDoubleQuotesAndNotInSingleOnes() throws SyntaxException {
    assertThat(words("x \"\\x00\\xfF\\n\\t\\r\\0\\\\\\\"\\'\""))
        .containsExactly(
            Bytes.of(
                (byte) 0,
                (byte) 255,
                (byte) 10,
                (byte) 9,
                (byte) 13,
                (byte) 0,
                (byte) '\\',
                (byte) '"',
                (byte) '\''));
    assertThat(words("x '\\x00\\n\\\\ \\''")).containsExactly(Bytes.utf8("\\x00\\n\\ '"));
    assertThat(words("x '' \"\"")).containsExactly(Bytes.EMPTY, Bytes.EMPTY);
    assertThat(words("x 'pi\u00f9' \ud83c\udf53"))
        .containsExactly(Bytes.utf8("pi\u00f9"), Bytes.utf8("\ud83c\udf53"));
  }

  @Test
  void optionsAndListsNest() throws SyntaxException {
    Statement scan =
        one("scan 'T', {startrow => 'a', LIMIT=>10, COLUMNS => ['f:a', f:b , \"f:c\"], X => []}");
    Map<String, Argument> expected = new LinkedHashMap<>();
    expected.put("STARTROW", word("a"));
    expected.put("LIMIT", word("10"));
    expected.put("COLUMNS", new Argument.Items(List.of(word("f:a"), word("f:b"), word("f:c"))));
    expected.put("X", new Argument.Items(List.of()));
    assertThat(scan.arguments()).containsExactly(word("T"), new Argument.Options(expected));
  }

  @Test
  void newlinesAndSemicolonsEndStatementsExceptInBracketsAndAfterCommas() throws SyntaxException {
    List<Statement> statements =
        StatementParser.parse(
            "\n# first\nbegin; put T,\n  r f:q v\nscan T {\n LIMIT => 1\n}\n;;", 7);
    assertThat(statements).extracting(Statement::name).containsExactly("begin", "put", "scan");
    assertThat(statements).extracting(Statement::line).containsExactly(9, 9, 11);
    assertThat(statements.get(1).arguments()).hasSize(4);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "put 'T      | the quote ' is never closed, column 5 | true",
        "put 'T'x    | a blank or a comma must follow the closing ', column 8 | false",
        "put T'x'    | a quote inside a word: put the whole word into quotes, column 6 | false",
        "put T,,x    | an argument is missing before ,, column 7 | false",
        "put ,x      | an argument is missing before ,, column 5 | false",
        "put T,      | an argument is missing after ,, column 7 | true",
        "put T,;     | an argument is missing after ,, column 7 | false",
        "put \\xg0   | two hexadecimal digits must follow \\x, column 5 | false",
        "put \\x0    | two hexadecimal digits must follow \\x, column 5 | false",
        "put \\q     | unknown escape; a backslash itself is written \\\\, column 5 | false",
        "scan T {    | } is missing, column 9 | true",
        "scan T {A   | => and a value are missing after A, column 10 | true",
        "scan T {A=> | a value is missing after A =>, column 12 | true",
        "scan T {A b | => must follow A, column 11 | false",
        "scan T {A=>1,A=>2} | A is given twice, column 18 | false",
        "scan T {A=>}| } is out of place, column 12 | false",
        "scan T [1   | ] is missing, column 10 | true",
        "scan T [1}  | } is out of place, column 10 | false",
        "scan T ]    | ] is out of place, column 8 | false",
        "{A=>1}      | a command must come before {, column 1 | false",
        "=> x        | = is out of place, column 1 | false",
      })
  void mistakesAreExplained(String text, String message, boolean incomplete) {
    SyntaxException e =
        catchThrowableOfType(
            SyntaxException.class, () -> StatementParser.parse(text.stripTrailing(), 1));
    assertThat(e).as(text).hasMessage(message);
    assertThat(e.isIncomplete()).as(text).isEqualTo(incomplete);
    assertThat(e.line()).isEqualTo(1);
  }

  @Test
  void bracketsHaveALimit() {
    assertThatThrownBy(() -> StatementParser.parse("x " + "[".repeat(17), 1))
        .hasMessageContaining("more than 16 brackets");
  }

  @Test
  void everyStatementThatIsWrittenOutIsReadBack() throws SyntaxException {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int round = 0; round < 2_000; round++) {
      Statement statement = new Statement(1, "cmd", arguments(random, 0));
      String text = "cmd" + written(statement.arguments(), random);
      assertThat(StatementParser.parse(text, 1))
          .as("seed=" + seed + " text=" + text)
          .containsExactly(statement);
    }
  }

  @Test
  void noTextMakesTheParserFailInAnotherWayOrHang() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    String alphabet = "ab'\"\\x0,;{}[]=># \n\u00e9";
    for (int round = 0; round < 20_000; round++) {
      StringBuilder text = new StringBuilder();
      for (int i = random.nextInt(30); i > 0; i--) {
        text.append(alphabet.charAt(random.nextInt(alphabet.length())));
      }
      try {
        StatementParser.parse(text.toString(), 1);
      } catch (SyntaxException e) {
        assertThat(e.getMessage()).as("seed=" + seed + " text=" + text).contains("column");
      }
    }
  }

  private static List<Argument> arguments(Random random, int depth) {
    List<Argument> arguments = new ArrayList<>();
    for (int i = random.nextInt(5); i > 0; i--) {
      arguments.add(argument(random, depth));
    }
    return arguments;
  }

  private static Argument argument(Random random, int depth) {
    int kind = depth > 2 ? 0 : random.nextInt(6);
    if (kind == 1) {
      return new Argument.Items(arguments(random, depth + 1));
    }
    if (kind == 2) {
      Map<String, Argument> values = new LinkedHashMap<>();
      for (int i = random.nextInt(4); i > 0; i--) {
        values.put("KEY" + i, argument(random, depth + 1));
      }
      return new Argument.Options(values);
    }
    byte[] bytes = new byte[random.nextInt(6)];
    random.nextBytes(bytes);
    return new Argument.Word(Bytes.wrap(bytes));
  }

  private static String written(List<Argument> arguments, Random random) {
    StringBuilder text = new StringBuilder();
    for (Argument argument : arguments) {
      text.append(text.length() > 0 && random.nextBoolean() ? ", " : " ");
      text.append(written(argument, random));
    }
    return text.toString();
  }

  private static String written(Argument argument, Random random) {
    if (argument instanceof Argument.Word word) {
      return written(word.bytes(), random);
    }
    if (argument instanceof Argument.Items items) {
      return "[" + written(items.items(), random) + " ]";
    }
    StringBuilder text = new StringBuilder("{");
    ((Argument.Options) argument)
        .values()
        .forEach(
            (key, value) -> {
              text.append(text.length() > 1 ? "," : "").append(random.nextBoolean() ? "\n" : " ");
              text.append(key).append(" => ").append(written(value, random));
            });
    return text.append('}').toString();
  }

  private static String written(Bytes bytes, Random random) {
    // Printed text is valid input in double quotes.
    String printed = bytes.toString();
    boolean bare = !bytes.isEmpty() && printed.matches("[A-Za-z0-9\\\\]+") && random.nextBoolean();
    return bare ? printed : '"' + printed.replace("\"", "\\\"") + '"';
  }

  private static Statement one(String text) throws SyntaxException {
    List<Statement> statements = StatementParser.parse(text, 1);
    assertThat(statements).hasSize(1);
    return statements.get(0);
  }

  private static List<Bytes> words(String text) throws SyntaxException {
    return one(text).arguments().stream().map(a -> ((Argument.Word) a).bytes()).toList();
  }

  private static Argument word(String text) {
    return new Argument.Word(Bytes.utf8(text));
  }
}
