package io.lampone.cli.shell;

import io.lampone.protocol.Bytes;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Parses statements of the HBase shell's syntax. Commas and quotes may be omitted where the
 * statement stays unambiguous.
 *
 * <pre>
 *   script    = [statement] { (";" | newline) [statement] }
 *   statement = word { [","] argument }
 *   argument  = word | "[" [argument { [","] argument }] "]"
 *             | "{" [pair { [","] pair }] "}"
 *   pair      = word "=>" argument
 *   word      = 'text'     \\ and \' are escapes, every other backslash is one
 *             | "text"     \xNN \n \r \t \0 \\ \" \' are escapes
 *             | text       the same, and a backslash before a blank or a sign of the grammar
 *   comment   = "#" to the end of the line, where a word could begin
 * </pre>
 *
 * A newline inside quotes or brackets, or after a comma, does not end the statement.
 */
final class StatementParser {

  /** Longest input of one statement. */
  static final int MAX_CHARACTERS = 16 * 1024 * 1024;

  /** Deepest nesting of brackets; no statement needs more than two. */
  static final int MAX_DEPTH = 16;

  private static final String ENDS_WORD = ",;{}[]";
  private static final char END = '\uffff';

  /** Stands for bytes that could not be read as text. */
  private static final char REPLACEMENT = '\ufffd';

  private final String text;
  private int position; // next character to read
  private int line; // line of that character
  private int lineStart; // position of that line's first character
  private int depth; // open brackets

  private StatementParser(String text, int firstLine) {
    this.text = text;
    this.line = firstLine;
  }

  /**
   * Reads all statements of {@code text}.
   *
   * @param firstLine the number of its first line, for messages
   */
  static List<Statement> parse(String text, int firstLine) throws SyntaxException {
    StatementParser parser = new StatementParser(text, firstLine);
    if (text.length() > MAX_CHARACTERS) {
      throw parser.error("more than " + MAX_CHARACTERS + " characters");
    }
    parser.requireNone(END, "the character U+FFFF is not text; write its bytes as \\xEF\\xBF\\xBF");
    parser.requireNone(
        REPLACEMENT, "a character could not be read as UTF-8: write its bytes as \\xNN");
    List<Statement> statements = new ArrayList<>();
    while (parser.skipToStatement()) {
      statements.add(parser.statement());
    }
    return statements;
  }

  private void requireNone(char illegal, String message) throws SyntaxException {
    int found = text.indexOf(illegal);
    if (found >= 0) {
      String before = text.substring(0, found);
      int lines = (int) before.chars().filter(c -> c == '\n').count();
      throw new SyntaxException(line + lines, found - before.lastIndexOf('\n'), message, false);
    }
  }

  private boolean skipToStatement() {
    skipBlanks(true);
    while (peek() == ';') {
      advance();
      skipBlanks(true);
    }
    return peek() != END;
  }

  private Statement statement() throws SyntaxException {
    int firstLine = line;
    if (ENDS_WORD.indexOf(peek()) >= 0) {
      throw error("a command must come before " + shown(peek()));
    }
    String name = word().toUtf8().toLowerCase(Locale.ROOT);
    List<Argument> arguments = new ArrayList<>();
    boolean afterComma = false;
    while (true) {
      skipBlanks(afterComma);
      char next = peek();
      if (next == ',') {
        if (afterComma || arguments.isEmpty()) {
          throw error("an argument is missing before ,");
        }
        advance();
        afterComma = true;
      } else if (next == END || next == ';' || next == '\n') {
        if (afterComma) {
          throw error("an argument is missing after ,", next == END);
        }
        return new Statement(firstLine, name, arguments);
      } else {
        arguments.add(argument());
        afterComma = false;
      }
    }
  }

  private Argument argument() throws SyntaxException {
    return switch (peek()) {
      case '{' -> options();
      case '[' -> items();
      case '}', ']' -> throw error(shown(peek()) + " is out of place");
      default -> new Argument.Word(word());
    };
  }

  private Argument items() throws SyntaxException {
    open();
    List<Argument> items = new ArrayList<>();
    while (!atClose(']', items.isEmpty())) {
      items.add(argument());
    }
    return new Argument.Items(items);
  }

  private Argument options() throws SyntaxException {
    open();
    Map<String, Argument> values = new LinkedHashMap<>();
    while (!atClose('}', values.isEmpty())) {
      String key = word().toUtf8().toUpperCase(Locale.ROOT);
      skipBlanks(true);
      if (peek() == END) {
        throw error("=> and a value are missing after " + key, true);
      }
      if (!text.startsWith("=>", position)) {
        throw error("=> must follow " + key);
      }
      position += 2;
      skipBlanks(true);
      if (peek() == END) {
        throw error("a value is missing after " + key + " =>", true);
      }
      if (peek() == ',' || peek() == ';') {
        throw error("a value is missing after " + key + " =>");
      }
      if (values.put(key, argument()) != null) {
        throw error(key + " is given twice");
      }
    }
    return new Argument.Options(values);
  }

  private void open() throws SyntaxException {
    depth++;
    if (depth > MAX_DEPTH) {
      throw error("more than " + MAX_DEPTH + " brackets inside each other");
    }
    advance();
  }

  /** Skips blanks and one comma; consumes a closing bracket and returns true if there is one. */
  private boolean atClose(char close, boolean first) throws SyntaxException {
    skipBlanks(true);
    if (peek() == ',' && !first) {
      advance();
      skipBlanks(true);
    }
    char next = peek();
    if (next == END) {
      throw error(shown(close) + " is missing", true);
    }
    if (next == ',' || next == ';') {
      throw error(shown(next) + " is out of place");
    }
    if (next != close) {
      return false;
    }
    advance();
    depth--;
    return true;
  }

  private Bytes word() throws SyntaxException {
    char first = peek();
    if (first == '\'' || first == '"') {
      return quoted(first);
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    int start = position;
    while (!endsBareWord()) {
      if (peek() == '\'' || peek() == '"') {
        throw error("a quote inside a word: put the whole word into quotes");
      }
      element(bytes, true);
    }
    if (position == start) {
      throw error(shown(peek()) + " is out of place");
    }
    return Bytes.wrap(bytes.toByteArray());
  }

  private boolean endsBareWord() {
    char next = peek();
    return next == END
        || Character.isWhitespace(next)
        || ENDS_WORD.indexOf(next) >= 0
        || text.startsWith("=>", position);
  }

  private Bytes quoted(char quote) throws SyntaxException {
    int openLine = line;
    int openColumn = column();
    advance();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    while (peek() != quote) {
      if (peek() == END) {
        throw new SyntaxException(
            openLine, openColumn, "the quote " + quote + " is never closed", true);
      }
      element(bytes, quote == '"');
    }
    advance();
    if (!endsBareWord()) {
      throw error("a blank or a comma must follow the closing " + quote);
    }
    return Bytes.wrap(bytes.toByteArray());
  }

  /** Reads one character, or one escape, of a word. */
  private void element(ByteArrayOutputStream bytes, boolean allEscapes) throws SyntaxException {
    char first = peek();
    if (first != '\\') {
      int codePoint = text.codePointAt(position);
      position += Character.charCount(codePoint);
      if (codePoint == '\n') {
        line++;
        lineStart = position;
      }
      bytes.writeBytes(Character.toString(codePoint).getBytes(StandardCharsets.UTF_8));
      return;
    }
    char escaped = position + 1 < text.length() ? text.charAt(position + 1) : END;
    if (!allEscapes && escaped != '\\' && escaped != '\'') {
      bytes.write('\\');
      position++;
      return;
    }
    if (escaped == 'x') {
      bytes.write(hexByte());
      position += 4;
      return;
    }
    bytes.write(
        switch (escaped) {
          case 'n' -> '\n';
          case 'r' -> '\r';
          case 't' -> '\t';
          case '0' -> 0;
          case '\\', '"', '\'', ' ', ',', ';', '{', '}', '[', ']', '#', '=' -> escaped;
          default -> throw error("unknown escape; a backslash itself is written \\\\");
        });
    position += 2;
  }

  private int hexByte() throws SyntaxException {
    int end = position + 4;
    if (end <= text.length()) {
      int high = Character.digit(text.charAt(end - 2), 16);
      int low = Character.digit(text.charAt(end - 1), 16);
      if (high >= 0 && low >= 0) {
        return high * 16 + low;
      }
    }
    throw error("two hexadecimal digits must follow \\x");
  }

  /** Skips blanks and comments; newlines only if they do not end the statement. */
  private void skipBlanks(boolean newlinesToo) {
    while (true) {
      char next = peek();
      if (next == '#') {
        while (peek() != '\n' && peek() != END) {
          position++;
        }
      } else if (next == END || !Character.isWhitespace(next)) {
        return;
      } else if (next == '\n' && !newlinesToo && depth == 0) {
        return;
      } else {
        advance();
      }
    }
  }

  private char peek() {
    return position < text.length() ? text.charAt(position) : END;
  }

  private void advance() {
    if (text.charAt(position) == '\n') {
      line++;
      lineStart = position + 1;
    }
    position++;
  }

  private int column() {
    return position - lineStart + 1;
  }

  private SyntaxException error(String message) {
    return error(message, false);
  }

  private SyntaxException error(String message, boolean incomplete) {
    return new SyntaxException(line, column(), message, incomplete);
  }

  private static String shown(char c) {
    return c == END ? "the end" : String.valueOf(c);
  }
}
