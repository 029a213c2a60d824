/** Work of clients in SQL, by Apache Phoenix. */
@NullMarked
package io.lampone.faultlab.work.sql;

import org.jspecify.annotations.NullMarked;
