package io.lampone.faultlab;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.lampone.checker.format.HistoryWriter;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Merges the parts of a history that several processes have written on one clock: one header, then
 * all lines in the order of their time. An invocation without an end gets one with an unknown
 * outcome. (A checker that meets a write without an end may refuse the whole history.)
 *
 * <p>The last line of a part may be cut off, because its writer was killed: then it is left out. If
 * it was an invocation, no request had been sent yet; if it was an end, the outcome becomes
 * unknown. Any other line that is no JSON is an error, and such a history must not be checked.
 */
final class HistoryMerge {

  private final ObjectMapper json = new ObjectMapper();
  private final List<Line> lines = new ArrayList<>();
  private String header = "";
  private int cutOff;

  private record Line(long time, String text, JsonNode node) {}

  private HistoryMerge() {}

  /**
   * Writes {@code target}.
   *
   * @return how many lines were cut off
   * @throws IOException if a part cannot be read, or is none
   */
  static int merge(List<Path> parts, Path target) throws IOException {
    HistoryMerge merge = new HistoryMerge();
    for (Path part : parts) {
      merge.take(part);
    }
    merge.write(target);
    return merge.cutOff;
  }

  private void take(Path part) throws IOException {
    String text = Files.readString(part);
    boolean isComplete = text.endsWith("\n");
    List<String> all = text.lines().toList();
    for (int i = 0; i < all.size(); i++) {
      if (i == all.size() - 1 && !isComplete) {
        cutOff++;
        return;
      }
      take(part, i, all.get(i));
    }
  }

  private void take(Path part, int index, String text) throws IOException {
    JsonNode node;
    try {
      node = json.readTree(text);
    } catch (JsonProcessingException e) {
      throw new IOException("not a line of a history, file=" + part + " line=" + (index + 1), e);
    }
    if (index == 0) {
      if (!node.has("txnhist")) {
        throw new IOException("a history begins with a header, file=" + part);
      }
      header = text;
      return;
    }
    if (!node.path("time").isIntegralNumber()) {
      throw new IOException("a line without time, file=" + part + " line=" + (index + 1));
    }
    lines.add(new Line(node.path("time").asLong(), text, node));
  }

  private void write(Path target) throws IOException {
    // Stable: lines of one process with equal times stay in order.
    lines.sort(Comparator.comparingLong(Line::time));
    Set<Long> open = new LinkedHashSet<>();
    try (BufferedWriter out = Files.newBufferedWriter(target)) {
      out.write(header);
      out.newLine();
      for (Line line : lines) {
        out.write(line.text());
        out.newLine();
        JsonNode process = line.node().path("process");
        if (line.node().path("type").asText().equals("invoke")) {
          open.add(process.asLong());
        } else if (process.isIntegralNumber()) {
          open.remove(process.asLong());
        }
      }
      for (long process : open) {
        long last = lines.get(lines.size() - 1).time();
        out.write(
            json.createObjectNode()
                .put("type", "info")
                .put("process", process)
                .put("time", last)
                .put("f", "txn")
                .put("error", HistoryWriter.NO_END)
                .toString());
        out.newLine();
      }
    }
  }
}
