import {
  OperationNodeTransformer,
  RawNode,
  type ColumnDefinitionNode,
  type DataTypeNode,
  type KyselyPlugin,
  type OperationNode,
  type PluginTransformQueryArgs,
  type QueryResult,
  type UnknownRow,
} from "kysely";

/**
 * Makes text columns that a migration creates on PostgreSQL compare by bytes, as on SQLite. Ids then sort by time in
 * any locale of the database, and an index on ids can serve range scans.
 */
export class ByteOrderPlugin implements KyselyPlugin {
  readonly #transformer = new TextColumnTransformer();

  transformQuery({ node }: PluginTransformQueryArgs) {
    return this.#transformer.transformNode(node);
  }

  async transformResult({
    result,
  }: {
    readonly result: QueryResult<UnknownRow>;
  }): Promise<QueryResult<UnknownRow>> {
    return result;
  }
}

class TextColumnTransformer extends OperationNodeTransformer {
  protected override transformColumnDefinition(node: ColumnDefinitionNode): ColumnDefinitionNode {
    const definition = super.transformColumnDefinition(node);
    if (!isTextType(definition.dataType)) return definition;
    return { ...definition, dataType: RawNode.createWithSql('text collate "C"') };
  }
}

function isTextType(type: OperationNode): boolean {
  // `kind` is the discriminant of nodes, so the cast is safe.
  return type.kind === "DataTypeNode" && (type as DataTypeNode).dataType === "text";
}
