package io.lampone.faultlab.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Ends and violations of a history.
 *
 * @param all how each transaction ended that has an end
 * @param violations forbidden observations of clients
 */
public record Endings(List<TransactionEnd> all, List<String> violations) {

  /** Reads a history. */
  public static Endings read(Path file, String violation) throws IOException {
    ObjectReader json = new ObjectMapper().reader();
    Map<Long, Long> begun = new HashMap<>();
    List<TransactionEnd> all = new ArrayList<>();
    List<String> violations = new ArrayList<>();
    try (BufferedReader lines = Files.newBufferedReader(file)) {
      for (String text = lines.readLine(); text != null; text = lines.readLine()) {
        JsonNode line = json.readTree(text);
        String type = line.path("type").asText();
        if (!line.path("process").isIntegralNumber()) {
          if (line.path("f").asText().equals(violation)) {
            violations.add(line.path("value").asText());
          }
        } else if (type.equals("invoke")) {
          begun.put(line.path("process").asLong(), line.path("time").asLong());
        } else {
          Long began = begun.remove(line.path("process").asLong());
          long ended = line.path("time").asLong();
          all.add(
              new TransactionEnd(
                  began == null ? ended : began, ended, type, line.path("error").asText()));
        }
      }
    }
    return new Endings(all, violations);
  }
}
