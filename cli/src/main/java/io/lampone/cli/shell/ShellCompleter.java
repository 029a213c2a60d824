package io.lampone.cli.shell;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jline.reader.Candidate;
import org.jline.reader.Completer;
import org.jline.reader.LineReader;
import org.jline.reader.ParsedLine;
import org.jline.reader.Parser;
import org.jline.reader.impl.DefaultParser;

/**
 * Completes statements: command names at the first word, then by the command's usage at that
 * position.
 *
 * <pre>
 *   'TABLE'                       names of tables
 *   'FAMILY' 'FAMILY:QUALIFIER'   families of the table that the statement names
 *   COMMAND                       names of commands
 *   small letters                 the word itself
 *   {KEY => VALUE, ...}           keys not yet present; for values the alternatives
 * </pre>
 */
final class ShellCompleter implements Completer {

  private static final Pattern OPTIONS = Pattern.compile("\\{(.*)\\}");
  private static final Pattern NEXT_OPTION = Pattern.compile(", (?=[A-Z_]+ =>)");

  private final Collection<Verb> verbs;
  private final NameLookup names;

  ShellCompleter(Collection<Verb> verbs, NameLookup names) {
    this.verbs = verbs;
    this.names = names;
  }

  /** Returns a parser that finds the word to complete. */
  static Parser words() {
    DefaultParser parser =
        new DefaultParser() {
          @Override
          public boolean isDelimiterChar(CharSequence text, int at) {
            return Character.isWhitespace(text.charAt(at))
                || ",;{}[]".indexOf(text.charAt(at)) >= 0;
          }
        };
    parser.setEscapeChars(null);
    return parser;
  }

  @Override
  public void complete(LineReader reader, ParsedLine line, List<Candidate> candidates) {
    Place place = Place.at(line.line().substring(0, line.cursor()));
    if (place.words.isEmpty()) {
      if (!place.inOptions) {
        verbs.forEach(verb -> candidates.add(word(verb.name())));
      }
      return;
    }
    String name = place.words.get(0);
    verbs.stream()
        .filter(verb -> verb.name().equalsIgnoreCase(name))
        .findFirst()
        .ifPresent(verb -> candidates.addAll(candidates(verb.usage(), place)));
  }

  private List<Candidate> candidates(String usage, Place place) {
    if (!place.inOptions) {
      String[] arguments =
          OPTIONS
              .matcher(usage)
              .replaceAll("")
              .replaceAll("[\\[\\],.]", "")
              .replaceAll(" \\| ", "|")
              .strip()
              .split(" +");
      int at = place.words.size();
      if (at >= arguments.length && usage.contains("...")) {
        at = arguments.length - 1;
      }
      return at < arguments.length ? choices(arguments[at], place) : List.of();
    }
    List<Candidate> found = new ArrayList<>();
    for (String option : options(usage)) {
      int arrow = option.indexOf(" => ");
      String key = option.substring(0, arrow);
      if (place.key.equalsIgnoreCase(key)) {
        return choices(
            option.substring(arrow + " => ".length()).replaceAll("[\\[\\],. ]", ""), place);
      }
      if (place.key.isEmpty() && !place.keys.contains(key)) {
        found.add(word(key));
      }
    }
    return place.key.isEmpty() ? found : List.of();
  }

  private static List<String> options(String usage) {
    return OPTIONS
        .matcher(usage)
        .results()
        .flatMap(match -> NEXT_OPTION.splitAsStream(match.group(1)))
        .toList();
  }

  /** Returns the candidates for a part of a usage, whose alternatives are separated by bars. */
  private List<Candidate> choices(String part, Place place) {
    String[] alternatives = part.replace("'", "").split("\\|");
    return Stream.of(alternatives)
        .flatMap(
            alternative ->
                switch (alternative) {
                  case "TABLE" -> names.tables().stream().map(ShellCompleter::word);
                  case "FAMILY" -> families(place).map(ShellCompleter::word);
                  case "FAMILY:QUALIFIER" -> families(place).map(family -> part(family + ":"));
                  case "COMMAND" -> verbs.stream().map(verb -> word(verb.name()));
                  default ->
                      alternative.matches("[a-z]+")
                              || (alternatives.length > 1 && alternative.matches("[A-Z_]+"))
                          ? Stream.of(word(alternative))
                          : Stream.<Candidate>of();
                })
        .toList();
  }

  private Stream<String> families(Place place) {
    return place.words.size() < 2 ? Stream.of() : names.families(place.words.get(1)).stream();
  }

  /** Returns a candidate for a complete word, followed by a blank. */
  private static Candidate word(String text) {
    return new Candidate(text);
  }

  /** Returns a candidate for a prefix of a word. */
  private static Candidate part(String text) {
    return new Candidate(text, text, null, null, null, null, false);
  }

  /** Position in a statement: the words and options before the word that is being typed. */
  private static final class Place {
    private final List<String> words = new ArrayList<>();
    private final List<String> keys = new ArrayList<>();
    private final StringBuilder word = new StringBuilder();
    private boolean inOptions;
    private int lists;

    /** Option whose value is expected; empty if it is a key. */
    private String key = "";

    /** Returns the position at the end of {@code text}, which may hold several statements. */
    static Place at(String text) {
      Place place = new Place();
      char quote = 0;
      boolean quoted = false;
      for (int i = 0; i < text.length(); i++) {
        char c = text.charAt(i);
        if (quote != 0) {
          quote = c == quote ? 0 : quote;
          if (quote != 0) {
            place.word.append(c);
          }
        } else if (c == '\'' || c == '"') {
          quote = c;
          quoted = true;
        } else if (!place.inOptions && (c == ';' || c == '\n')) {
          place = new Place();
          quoted = false;
        } else if (Character.isWhitespace(c) || ",{}[]>".indexOf(c) >= 0) {
          place.end(c, quoted);
          quoted = false;
        } else {
          place.word.append(c);
        }
      }
      return place;
    }

    private void end(char by, boolean quoted) {
      String text = word.toString();
      word.setLength(0);
      if (!inOptions && lists == 0 && (quoted || !text.isEmpty())) {
        words.add(text);
      }
      switch (by) {
        case '{' -> inOptions = true;
        case '}' -> inOptions = false;
        case '[' -> lists++;
        case ']' -> lists--;
        case '>' -> {
          key = text.replace("=", "").strip();
          keys.add(key.toUpperCase(Locale.ROOT));
        }
        default -> {
          if (inOptions && !text.isEmpty() && !text.equals("=") && Character.isWhitespace(by)) {
            // KEY before a separate =>
            word.append(key.isEmpty() ? text : "");
          }
        }
      }
      if ((by == ',' && lists == 0) || by == '{' || by == '}') {
        key = "";
        word.setLength(0);
      }
    }
  }
}
