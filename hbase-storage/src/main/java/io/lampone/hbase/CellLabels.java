package io.lampone.hbase;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.Tag;
import org.apache.hadoop.hbase.TagType;

/**
 * Tags by which HBase restricts who may read a cell: access lists and visibility labels. Plain
 * clients wrote them before the table became transactional. A cell that is made from such a cell
 * keeps them, as in HBase.
 */
public final class CellLabels {

  private CellLabels() {}

  /** Returns the tags of a stored cell; empty if it has none. */
  public static List<Tag> of(Cell cell) {
    if (cell.getTagsLength() == 0) {
      return List.of();
    }
    List<Tag> labels = new ArrayList<>();
    Iterator<Tag> tags = PrivateCellUtil.tagsIterator(cell);
    while (tags.hasNext()) {
      Tag tag = tags.next();
      switch (tag.getType()) {
        case TagType.ACL_TAG_TYPE,
            TagType.VISIBILITY_TAG_TYPE,
            TagType.VISIBILITY_EXP_SERIALIZATION_FORMAT_TAG_TYPE ->
            labels.add(tag);
        default -> {
          // restricts no reader
        }
      }
    }
    return labels;
  }
}
