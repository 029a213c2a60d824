/** Which stored version a read sees (protocol page, sections 1, 4 and 5). */
@NullMarked
package io.lampone.coprocessor.core.visibility;

import org.jspecify.annotations.NullMarked;
