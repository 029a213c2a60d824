/** Administration of tables: adoption, schema changes, and the way back to a plain table. */
@NullMarked
package io.lampone.client.hbase.admin;

import org.jspecify.annotations.NullMarked;
